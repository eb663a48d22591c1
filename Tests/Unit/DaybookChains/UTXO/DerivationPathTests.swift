import DaybookChains
import Testing

struct DerivationPathTests {
    @Test(arguments: ["m", "m/0'", "m/44'/5'/0'/0/3", "m/44'/4242'/7'", "m/2147483647'/2147483647"])
    func `a path is read and written`(text: String) throws {
        #expect(try #require(DerivationPath(text)).text == text)
    }

    @Test func `a hardened child is marked in either way and written in one`() {
        #expect(DerivationPath("m/44h/5h/0h") == DerivationPath.account(0, coinType: 5))
        #expect(DerivationPath("m/44h/5h/0h")?.text == "m/44'/5'/0'")
        #expect(DerivationPath("m/0'") == .legacyAccount)
        #expect(DerivationPath("m") == .master)
    }

    @Test(arguments: [
        "", "M", "m/", "/0", "0", "m//0", "m/00", "m/+1", "m/-1", "m/2147483648", "m/1''", "m/'",
        "m/0x1", "m/1 ", "m/٣", "m/99999999999", "m/18446744073709551616",
    ])
    func `a text that is no path is none`(text: String) {
        #expect(DerivationPath(text) == nil)
    }

    @Test func `a path is at most 255 deep`() throws {
        let deepest = "m" + String(repeating: "/2147483647'", count: 255)
        let path = try #require(DerivationPath(deepest))
        #expect(path.text == deepest)
        #expect(path.child(0) == nil)
        #expect(DerivationPath(deepest + "/0") == nil)
    }

    @Test func `an account's number and coin type have 31 bits`() {
        #expect(DerivationPath.account(0x8000_0000, coinType: 5) == nil)
        #expect(DerivationPath.account(0, coinType: 0x8000_0000) == nil)
        #expect(DerivationPath.account(3, coinType: 4242)?.text == "m/44'/4242'/3'")
    }
}
