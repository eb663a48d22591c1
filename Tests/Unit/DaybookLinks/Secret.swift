import DaybookCrypto
import DaybookEncoding
import TestSupport

/// A secret of each kind, made anew each time.
enum Secret: CaseIterable {
    case uncompressedKey, compressedKey, protectedKey, extendedKey, words

    func made(_ random: inout Seeded) -> Bytes {
        func bytes(_ count: Int) -> Bytes {
            (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        switch self {
        case .uncompressedKey: return Bytes(Base58Check.encode([0x80] + bytes(32)).utf8)
        case .compressedKey: return Bytes(Base58Check.encode([0xcc] + bytes(32) + [1]).utf8)
        case .protectedKey: return Bytes(Base58Check.encode([0x01, 0x42, 0xc0] + bytes(36)).utf8)
        case .extendedKey:
            return Bytes(Base58Check.encode([0x04, 0x88, 0xad, 0xe4] + bytes(74)).utf8)
        case .words:
            let words = (0..<12).map { _ in BIP39Words.english[random.below(2048)] }
            return Bytes(words.joined(separator: " ").utf8)
        }
    }
}

/// The wrappings of a secret.
enum Disguise: CaseIterable {
    case none, escapes, base64, hexadecimal, unicode, object

    func put(on text: Bytes) -> Bytes {
        switch self {
        case .none: text
        case .escapes: text.flatMap { Bytes("%\(Hex.encode([$0]))".utf8) }
        case .base64: Bytes(Base64.encode(text).utf8)
        case .hexadecimal: Bytes(Hex.encode(text).utf8)
        case .unicode: text.flatMap { Bytes("\\u00\(Hex.encode([$0]))".utf8) }
        case .object: Bytes(#"{"id":1,"method":"sign","key":""#.utf8) + text + Bytes(#""}"#.utf8)
        }
    }

    static func random(_ text: Bytes, _ random: inout Seeded) -> Bytes {
        allCases[random.below(allCases.count)].put(on: text)
    }
}
