import DaybookEncoding
import Testing

@testable import DaybookCrypto

@Suite struct Base58CheckTests {
    /// The address of a Dash node's documentation, and what it spells.
    let text = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"

    @Test func `a payload and its text are each other's reverse`() throws {
        let payload = try #require(Base58Check.decode(text))
        #expect(payload.count == 21)
        #expect(payload[0] == 76)
        #expect(Base58Check.encode(payload) == text)
        #expect(Base58Check.decode(Base58Check.encode([])) == [])
    }

    @Test func `a wrong checksum, an alien character and too few bytes are refused`() {
        #expect(Base58Check.decode("XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHab") == nil)
        #expect(Base58Check.decode("XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQH0a") == nil)
        #expect(Base58Check.decode("") == nil)
        #expect(Base58Check.decode("1111") == nil)
        #expect(Base58Check.decode(text, maximumLength: 33) == nil)
    }
}
