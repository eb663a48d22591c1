import DaybookEncoding
import Testing

@testable import DaybookCrypto

@Suite struct SecretBytesTests {
    struct Planned: Error {}

    @Test func `a secret made from an array leaves nothing in it`() {
        var source: Bytes = [1, 2, 3]
        let secret = SecretBytes(wiping: &source)
        #expect(source.isEmpty)
        #expect(secret.matches(SecretBytes(copying: [1, 2, 3])) == true)
    }

    @Test func `secrets match when every byte does`() {
        let secret = SecretBytes(copying: [1, 2, 3])
        #expect(secret.matches(secret.copy()) == true)
        #expect(secret.matches(SecretBytes(copying: [1, 2, 4])) == false)
        #expect(secret.matches(SecretBytes(copying: [1, 2])) == false)
        #expect(SecretBytes(copying: []).matches(SecretBytes(copying: [])) == true)
    }

    @Test func `an error while filling passes through`() {
        #expect(throws: Planned.self) {
            _ = try SecretBytes(count: 3) { (bytes) throws(Planned) in
                bytes[0] = 1
                throw Planned()
            }.count
        }
    }

    @Test func `bytes that are not filled are zero`() {
        let secret = SecretBytes(count: 3) { $0[1] = 9 }
        #expect(secret.count == 3)
        #expect(secret.matches(SecretBytes(copying: [0, 9, 0])) == true)
    }

    @Test func `comparison in constant time agrees with plain comparison`() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2], [1, 2]))
        #expect(!ConstantTime.equal([1, 2], [2, 2]))
        #expect(!ConstantTime.equal([1, 2], [1]))
    }
}
