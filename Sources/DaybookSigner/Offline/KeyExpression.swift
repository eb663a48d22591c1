import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// A public key as descriptors write it (BIP 380), alone or in the function `pkh`.
struct KeyExpression {
    /// The master key's fingerprint and the path from there; nil if the text has none.
    let origin: KeyOrigin?
    /// The key itself.
    let key: Bytes
    /// Whether a branch of addresses follows the key.
    let hasBranch: Bool

    /// Reads an expression; the key itself is not looked at.
    init(_ text: Bytes) throws(WatchedKeyError) {
        let body = try Self.checked(text)
        let expression = try Self.argument(of: body)
        let (origin, rest) = try Self.origin(of: expression)
        let key = rest.prefix { $0 != UInt8(ascii: "/") }
        let branch = String(decoding: rest[key.endIndex...], as: UTF8.self)
        guard Self.branches.contains(branch) else {
            throw .descriptor(.branch(Text.escaped(String(branch.prefix(32)))))
        }
        self.origin = origin
        self.key = Bytes(key)
        hasBranch = !branch.isEmpty
    }

    /// The branches that a wallet's descriptors have: each of an account's two, or both (BIP 389,
    /// BIP 388). A wallet is watched with both, whichever is given.
    private static let branches = ["", "/0/*", "/1/*", "/<0;1>/*", "/**"]

    /// The text before the checksum, which must be right if there is one.
    private static func checked(_ text: Bytes) throws(WatchedKeyError) -> Bytes {
        guard let mark = text.firstIndex(of: UInt8(ascii: "#")) else { return text }
        let body = String(decoding: text[..<mark], as: UTF8.self)
        let sum = String(decoding: text[(mark + 1)...], as: UTF8.self)
        guard Text.equal(OutputDescriptor.checksum(of: body), sum) else {
            throw .descriptor(.checksum)
        }
        return Bytes(text[..<mark])
    }

    /// The text in the parentheses of `pkh`; the whole text if there are none.
    private static func argument(of text: Bytes) throws(WatchedKeyError) -> Bytes {
        guard let open = text.firstIndex(of: UInt8(ascii: "(")) else { return text }
        let name = String(decoding: text[..<open].prefix(16), as: UTF8.self)
        guard Text.equal(name, "pkh") else { throw .descriptor(.function(Text.escaped(name))) }
        guard text.last == UInt8(ascii: ")") else { throw .descriptor(.parenthesis) }
        return Bytes(text[(open + 1)..<(text.count - 1)])
    }

    /// The key origin in brackets, and what follows.
    private static func origin(of text: Bytes) throws(WatchedKeyError) -> (KeyOrigin?, Bytes) {
        guard text.first == UInt8(ascii: "[") else { return (nil, text) }
        guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { throw .origin(.form) }
        let parts = text[1..<end]
        guard let fingerprint = Hex.decode(parts.prefix(8)), fingerprint.count == 4,
            let path = DerivationPath("m" + String(decoding: parts.dropFirst(8), as: UTF8.self))
        else { throw .origin(.form) }
        let master: UInt32 = BigEndian.number(fingerprint[...])
        return (KeyOrigin(masterFingerprint: master, path: path), Bytes(text[(end + 1)...]))
    }

    // MARK: - Characters

    /// The character at an offset in UTF-8, as it may be shown.
    static func character(at index: Int, in text: Bytes) -> String {
        let rest = String(decoding: text[index...], as: UTF8.self)
        return rest.unicodeScalars.first.map { Text.escaped(String($0)) } ?? ""
    }
}

/// The version bytes of extended keys, by which they begin with other letters (SLIP 132).
enum ExtendedKeyVersion {
    /// The networks of an extended public key; nil for private keys, and keys of other scripts.
    static func format(of version: UInt32) -> AddressFormat? {
        // Dash's former wallets wrote `drkv` for the same key.
        if version == 0x02fe_52f8 { return .main }
        return AddressFormat.allCases.first { $0.extendedPublicVersion == version }
    }

    /// The four letters by which a key begins.
    static func name(of text: Bytes) -> String {
        String(decoding: text.prefix(4), as: UTF8.self)
    }
}

/// Recognizes private keys where a public one is expected, so that an error can say so.
package enum PrivateText {
    /// The kinds of private keys.
    package enum Kind: String, Sendable {
        case extended = "an extended private key"
        case wif = "a private key in wallet import format"
        case encrypted = "an encrypted private key (BIP 38)"
        case hexadecimal = "64 hexadecimal digits, as a private key has them"
        case words = "the words of a wallet"
    }

    /// The kind of private key that a text is or contains; nil if it has none.
    static func kind(of text: Bytes) -> Kind? {
        let digits = text.starts(with: Bytes("0x".utf8)) ? text.dropFirst(2) : text[...]
        if digits.count == 64, digits.allSatisfy({ Hex.value(ofDigit: $0) != nil }) {
            return .hexadecimal
        }
        for run in text.split(whereSeparator: { !Base58.isDigit($0) }) {
            let letters = String(decoding: run.prefix(4), as: UTF8.self)
            if letters.dropFirst().elementsEqual("prv") || letters == "drkp" { return .extended }
            if run.count == 58, letters.hasPrefix("6P") { return .encrypted }
            if [51, 52].contains(run.count), Base58Check.isWIF(run.span) { return .wif }
        }
        let words = text.split { $0 == 0x20 || (0x09...0x0d).contains($0) }
        let areWords = words.allSatisfy { word in
            (2...8).contains(word.count) && word.allSatisfy { (0x61...0x7a).contains($0 | 0x20) }
        }
        return words.count >= 12 && areWords ? .words : nil
    }
}
