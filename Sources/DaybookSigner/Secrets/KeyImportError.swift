import DaybookCrypto

/// Why a text is not a private key; an error never contains the text.
package enum KeyImportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is something else that people have of their wallets.
    case other(OtherKeyForm)
    /// The text has a wrong length.
    case length(Int)
    /// The character at this place, counted from one, is not allowed in a key.
    case character(at: Int)
    /// The WIF's checksum is wrong: a typing error.
    case checksum
    /// A WIF of another coin or of another network.
    case version(UInt8, expected: UInt8)
    /// The number is not a private key: it is zero, or not below the group's order.
    case outOfRange

    /// The error for a text of a length that no key of the wanted form has.
    static func wrong(_ text: borrowing SecretBytes) -> KeyImportError {
        OtherKeyForm(text).map { .other($0) } ?? .length(text.count)
    }

    /// The error as one line in lower case, with what to do.
    package var description: String {
        switch self {
        case .other(let form): form.advice
        case .length(let length):
            "a private key has 51 or 52 characters in wallet import format and 64 in hexadecimal"
                + " digits, not \(length): some are missing or too many"
        case .character(let place):
            "character \(place) of the key is one that no key has: copy the key again"
        case .checksum:
            "the key's checksum is wrong, so that a character is wrong or two are exchanged: copy"
                + " the key again"
        case .version(128, let expected):
            "the key is of Bitcoin, or of a coin that writes keys alike (version 128), and those of"
                + " this chain have version \(expected): its coins are not here"
        case .version(239, let expected):
            "the key is of a test network (version 239), and those of this network have version"
                + " \(expected): add --network testnet or regtest"
        case .version(204, let expected):
            "the key is of a main network (version 204), and those of this network have version"
                + " \(expected): add --network mainnet, or sandbox"
        case .version(let found, let expected):
            "the key is of another coin or network: it has version \(found), and those of this one"
                + " have \(expected)"
        case .outOfRange: "the number is no private key: it is zero, or too large for one"
        }
    }
}

/// The kind of a text in place of a private key, by its form alone.
package enum OtherKeyForm: Equatable, Sendable, CaseIterable {
    case nothing, words, encrypted, extended, wif, hexadecimal, publicKey, address, keystore
    case quoted, several

    /// The form of a text without white space around it; nil for none of these.
    init?(_ text: borrowing SecretBytes) {
        let form = text.withBytes { text in Self.form(text) }
        guard let form else { return nil }
        self = form
    }

    private static func form(_ text: Span<UInt8>) -> OtherKeyForm? {
        guard let first = text.indices.first.map({ text[$0] }) else { return .nothing }
        switch first {
        case UInt8(ascii: "{"): return .keystore
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): return .quoted
        default: break
        }
        let spaces = text.indices.count { text[$0] <= 0x20 }
        if spaces > 0 { return spaces >= 11 && !isHexadecimal(text) ? .words : .several }
        switch text.count {
        case 58 where begins(text, "6P"): return .encrypted
        case 111 where begins(text.extracting(1...), "prv"): return .extended
        case 111 where begins(text.extracting(1...), "pub"): return .publicKey
        case 64 where isHexadecimal(text), 66 where begins(text, "0x"): return .hexadecimal
        case 66 where begins(text, "02") || begins(text, "03"): return .publicKey
        case 130 where begins(text, "04"): return .publicKey
        case 42 where begins(text, "hx"), 26...35: return .address
        case 51, 52: return .wif
        default: return nil
        }
    }

    private static func begins(_ text: Span<UInt8>, _ start: StaticString) -> Bool {
        let start = Array("\(start)".utf8)
        return text.count >= start.count && start.indices.allSatisfy { text[$0] == start[$0] }
    }

    private static func isHexadecimal(_ text: Span<UInt8>) -> Bool {
        text.indices.allSatisfy { index in
            switch text[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: " "):
                true
            default: false
            }
        }
    }

    /// The kind of the text and the remedy, in lower case.
    var advice: String {
        switch self {
        case .nothing: "there is no key in the file"
        case .words: "these are words: give their file to --mnemonic-file"
        case .encrypted:
            "the key is encrypted with a passphrase (BIP 38): decrypt it with the program that"
                + " made it"
        case .extended:
            "this is an extended private key, which no wallet here is made of: give the words that"
                + " it came from, or the key of one address"
        case .wif: "the key is in wallet import format: give its file to --wif-file"
        case .hexadecimal: "the key is in hexadecimal digits: give its file to --key-file"
        case .publicKey: "this is a public key: --watch takes it, and it can't sign"
        case .address: "this is an address, and not the private key that it belongs to"
        case .keystore: "this is a keystore: give its file to --keystore"
        case .quoted: "the key is between quotation marks: leave them out"
        case .several: "there is more than one key, or text beside it: leave one key alone"
        }
    }
}
