import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

struct ExtendedPublicKeyTests {
    /// BIP 32's test vectors, those steps that need no private key: parent, index, child.
    static let vectors: [(String, UInt32, String)] = [
        (
            "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdr"
                + "fp1bgwQ9xv5ski8PX9rL2dZXvgGDnw",
            1,
            "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7S"
                + "yYq527Hqck2AxYysAA7xmALppuCkwQ"
        ),
        (
            "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc"
                + "4a6mr8BDzTJY47LJhkJ8UB7WEGuduB",
            0,
            "xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmm"
                + "DznezpbZb7ap6r1D3tgFxHmwMkQTPH"
        ),
    ]

    @Test(arguments: vectors)
    func `a child of BIP 32's test vectors comes out`(
        parent: String, index: UInt32, child: String
    ) throws {
        let key = try #require(ExtendedPublicKey(parent))
        #expect(key.text == parent)
        let derived = try #require(key.child(index))
        #expect(derived.text == child)
        #expect(derived == ExtendedPublicKey(child))
        #expect(derived.depth == key.depth + 1)
        #expect(derived.parentFingerprint == key.fingerprint)
        #expect(key.descendant(index) == derived)
        #expect(key.descendant() == key)
    }

    @Test func `a hardened child needs the private key`() throws {
        let key = try #require(ExtendedPublicKey(Self.vectors[0].0))
        #expect(key.child(0x8000_0000) == nil)
        #expect(key.descendant(1, 0x8000_0000) == nil)
    }

    @Test func `the same key is written for each network in its own way`() throws {
        let main = try #require(ExtendedPublicKey(Self.vectors[0].0))
        let test = try #require(
            ExtendedPublicKey(
                format: .test, depth: main.depth, parentFingerprint: main.parentFingerprint,
                childNumber: main.childNumber, chainCode: main.chainCode,
                publicKey: main.publicKey))
        #expect(test.text.hasPrefix("tpub"))
        #expect(ExtendedPublicKey(test.text) == test)
        #expect(test != main)
    }

    @Test func `a master key has no parent`() throws {
        let main = try #require(ExtendedPublicKey(Self.vectors[1].0))
        #expect(
            ExtendedPublicKey(
                format: .main, depth: 0, parentFingerprint: 1, childNumber: 0,
                chainCode: main.chainCode, publicKey: main.publicKey) == nil)
        #expect(
            ExtendedPublicKey(
                format: .main, depth: 0, parentFingerprint: 0, childNumber: 1,
                chainCode: main.chainCode, publicKey: main.publicKey) == nil)
    }

    /// Extended public keys of BIP 32's test vector 5, and a private one.
    @Test(arguments: [
        "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Txnt3siSujt9RCVYsx4qHZGc62TG"
            + "4McvMGcAUjeuwZdduYEvFn",
        "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6N8ZMMXctdiCjxTNq964yKkwrkBJJ"
            + "wpzZS4HS2fxvyYUA4q2Xe4",
        "xpub661no6RGEX3uJkY4bNnPcw4URcQTrSibUZ4NqJEw5eBkv7ovTwgiT91XX27VbEXGENhYRCf7hyEbWrR3FewAT"
            + "dCEebj6znwMfQkhRYHRLpJ",
        "xprv9s21ZrQH143K3GJpoapnV8SFfukcVBSfeCficPSGfubmSFDxo1kuHnLisriDvSnRRuL2Qrg5ggqHKNVpxR86Q"
            + "EC8w35uxmGoggxtQTPvfUu",
        "xpub", "",
    ])
    func `a text that is no extended public key is none`(text: String) {
        #expect(ExtendedPublicKey(text) == nil)
        #expect(text.count < 111 || Base58Check.decode(text)?.count == 78)
    }
}
