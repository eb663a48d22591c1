import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookSigner

@Suite struct KeyImportTests {
    /// Written by Dash Core: m/44'/5'/0'/0/0 of the words "abandon" eleven times, "about".
    static let main = "XGihgbi7c1nVqrjkPSvzJydLVWYW7hTrcXdfSdpFMwi3Xhbabw93"
    /// Written by both nodes on regtest.
    static let test = "cV6NTLu255SZ5iCNkVHezNGDH5qv6CanJpgBPqYgJU13NNKJhRs1"
    static let one = String(repeating: "0", count: 63) + "1"

    let dash = UTXOParameters.of(.dash, .mainnet)!
    let regtest = UTXOParameters.of(.axe, .regtest)!

    @Test func `a key in import format tells its form`() throws {
        let key = Bytes(repeating: 0x5a, count: 32)
        for (payload, isCompressed) in [([204] + key, false), ([204] + key + [1], true)] {
            let text = " \(Base58Check.encode(payload))\n"
            guard case .key(let single) = try WalletSecret.wif(secret(text), dash) else {
                Issue.record("a key is a key")
                return
            }
            #expect(single.isCompressed == isCompressed)
            #expect(single.key.plain() == key)
        }
    }

    @Test func `a key of another network or coin is refused`() {
        #expect(throws: KeyImportError.version(239, expected: 204)) { try wif(Self.test, dash) }
        #expect(throws: KeyImportError.version(204, expected: 239)) { try wif(Self.main, regtest) }
        let bitcoin = Base58Check.encode([128] + Bytes(repeating: 1, count: 32) + [1])
        #expect(throws: KeyImportError.version(128, expected: 204)) { try wif(bitcoin, dash) }
    }

    @Test func `a typing error in a key is found`() {
        let swapped = "XGihgbi7c1nVqrjkPSvzJydLVWYW7hTrcXdfSdpFMwi3Xhbabw39"
        #expect(throws: KeyImportError.checksum) { try wif(swapped, dash) }
        let zero = "0" + Self.main.dropFirst()
        #expect(throws: KeyImportError.character(at: 1)) { try wif(zero, dash) }
        #expect(throws: KeyImportError.length(50)) { try wif(String(Self.main.dropLast(2)), dash) }
        #expect(throws: KeyImportError.other(.nothing)) { try wif(" \n", dash) }
        #expect(throws: KeyImportError.checksum) {
            try wif(String(repeating: "z", count: 52), dash)
        }
        let marker = Base58Check.encode([204] + Bytes(repeating: 1, count: 32) + [2])
        #expect(throws: KeyImportError.checksum) { try wif(marker, dash) }
    }

    /// Texts that people have of their wallets, and take for a key.
    static let others: [(OtherKeyForm, String)] = [
        (.nothing, " \n"), (.words, String(repeating: "abandon ", count: 11) + "about"),
        (.encrypted, "6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg"),
        (.extended, "xprv" + String(repeating: "9", count: 107)),
        (.publicKey, "xpub" + String(repeating: "6", count: 107)),
        (.publicKey, "02" + String(repeating: "c", count: 64)),
        (.publicKey, "04" + String(repeating: "c", count: 128)),
        (.address, "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"),
        (.address, "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"),
        (.keystore, "{\"version\":3}"), (.quoted, "\"\(main)\""), (.several, "\(main) \(main)"),
        (.several, "key: \(one)"),
    ]

    @Test(arguments: others)
    func `a text of another kind is named`(form: OtherKeyForm, text: String) {
        #expect(throws: KeyImportError.other(form)) { try wif(text, dash) }
        #expect(throws: KeyImportError.other(form)) { try hexadecimal(text) }
    }

    @Test func `each kind of key names the option for the other kind`() {
        #expect(throws: KeyImportError.other(.hexadecimal)) { try wif(Self.one, dash) }
        #expect(throws: KeyImportError.other(.wif)) { try hexadecimal(Self.main) }
        #expect(OtherKeyForm.wif.advice.contains("--wif-file"))
        #expect(OtherKeyForm.hexadecimal.advice.contains("--key-file"))
    }

    @Test func `a number that is no key is refused`() {
        let zero = Base58Check.encode([204] + Bytes(repeating: 0, count: 32) + [1])
        #expect(throws: KeyImportError.outOfRange) { try wif(zero, dash) }
        let high = String(repeating: "f", count: 64)
        #expect(throws: KeyImportError.outOfRange) { try hexadecimal(high) }
    }

    @Test func `hexadecimal digits are read in both cases, with and without 0x`() throws {
        let digits = "00b963d8eae182eb4dea16136b1c900dc538be29e2fac9887fc0f179caa01c6e"
        for text in [digits, digits.uppercased(), "0x" + digits, "\t\(digits)\r\n"] {
            guard case .key(let single) = try WalletSecret.hexadecimal(secret(text)) else {
                Issue.record("a key is a key")
                return
            }
            #expect(single.key.plain() == Hex.decode(digits))
            #expect(single.isCompressed == true)
        }
    }

    @Test func `other texts are no hexadecimal key`() {
        #expect(throws: KeyImportError.length(63)) { try hexadecimal(String(Self.one.dropLast())) }
        #expect(throws: KeyImportError.length(68)) { try hexadecimal("0000" + Self.one) }
        #expect(throws: KeyImportError.character(at: 64)) {
            try hexadecimal(String(Self.one.dropLast()) + "g")
        }
        #expect(throws: KeyImportError.other(.nothing)) { try hexadecimal("") }
    }

    private func wif(_ text: String, _ parameters: UTXOParameters) throws {
        _ = try UnlockedKeys(.wif(secret(text), parameters))!.publicKey(at: .master)
    }

    private func hexadecimal(_ text: String) throws {
        _ = try UnlockedKeys(.hexadecimal(secret(text)))!.publicKey(at: .master)
    }
}
