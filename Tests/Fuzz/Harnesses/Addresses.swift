import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension Harness {
    /// Addresses, keys, paths and ids as texts: of the first byte depends which.
    static let addresses = Harness(
        "addresses", longest: 160, words: ["m/44'/5'/0'", "hx", "cx", "xpub", "drkp", "0x"]
    ) { bytes in
        guard let first = bytes.first, let text = Text.utf8String(Bytes(bytes.dropFirst())) else {
            return
        }
        switch first % 6 {
        case 0:
            for chain in [Chain.dash, .axe] {
                guard let address = UTXOAddress(text, chain: chain) else { continue }
                try law("an address has one spelling", Text.equal(address.text, text))
                try law("its script is its own", Script(address.scriptPubKey) == address.script)
            }
        case 1:
            guard let address = ICONAddress(text) else { return }
            try law("an address has one spelling", Text.equal(address.text, text))
        case 2:
            guard let path = DerivationPath(text) else { return }
            try law("a path has one value", DerivationPath(path.text) == path)
        case 3:
            guard let key = ExtendedPublicKey(text) else { return }
            try law("a key has one spelling", Text.equal(key.text, text))
            guard key.depth < 255, let child = key.child(0) else { return }
            try law("a child is one deeper", child.depth == key.depth + 1)
        case 4:
            if let id = TransactionID(hex: text) {
                try law("an id is its digits", Text.equal(id.hex, text.lowercased()))
            }
            if let number = ICONInteger.parse(text) {
                try law("a number has one spelling", Text.equal(ICONInteger.text(number), text))
            }
            if let number = ICONInteger.parseSmall(text) {
                try law("a small number has one", Text.equal(ICONInteger.text(number), text))
            }
        default:
            guard let signature = ICONSignature(base64: text) else { return }
            try law("a signature has one spelling", Text.equal(signature.base64, text))
            _ = signature.signer(of: Bytes(repeating: 1, count: 32))
        }
    }
}
