package import DaybookChains

/// Why a text is not a public key by which a wallet can be watched, and what to give instead.
package enum WatchedKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is another thing.
    case text(WatchedTextFault)
    /// The extended public key is none, or not an account's.
    case key(ExtendedKeyFault)
    /// The key's origin in brackets.
    case origin(KeyOriginFault)
    /// The descriptor round the key.
    case descriptor(DescriptorFault)

    /// The cause and what to do, in lower case.
    package var description: String {
        switch self {
        case .text(let fault): fault.description
        case .key(let fault): fault.description
        case .origin(let fault): fault.description
        case .descriptor(let fault): fault.description
        }
    }

    fileprivate static let advice =
        "give what `daybook wallet list --json` shows as `watch` where the key is"
}

/// The kind of a text in place of a public key.
package enum WatchedTextFault: Equatable, Sendable, CustomStringConvertible {
    case empty
    case tooLong(Int)
    /// The text is, or contains, a private key.
    case privateKey(PrivateText.Kind)
    case address
    /// The number of hexadecimal digits, which no public key has.
    case digits(Int)
    case uncompressed
    /// The digits are no point of the curve.
    case noPoint
    /// Neither digits nor an extended key, for ICON.
    case notForICON

    package var description: String {
        switch self {
        case .empty: "no key was given: \(WatchedKeyError.advice)"
        case .tooLong(let count):
            "\(count) characters are too many for public keys: \(WatchedKeyError.advice)"
        case .privateKey(let kind):
            "this is \(kind.rawValue), which can spend the coins; watching takes the public key."
                + " Nothing of it was kept here, but a shell keeps what is typed in its history"
                + " and shows it to other programs: delete it there, and better move the coins to"
                + " a new wallet"
        case .address:
            "this is an address, from which the wallet's other addresses don't follow:"
                + " \(WatchedKeyError.advice)"
        case .digits(let count):
            "a public key has 66 hexadecimal digits, not \(count): \(WatchedKeyError.advice)"
        case .uncompressed:
            "this is an uncompressed public key of 130 digits: give its compressed form of 66"
        case .noPoint:
            "these 66 digits are no public key: one is wrong; \(WatchedKeyError.advice)"
        case .notForICON:
            "an ICON wallet is one key: give its public key, 66 hexadecimal digits"
        }
    }
}

/// The fault of an extended public key.
package enum ExtendedKeyFault: Equatable, Sendable, CustomStringConvertible {
    /// A character that base 58 doesn't have, at a place counted from one.
    case character(String, at: Int)
    /// The number of characters, which no extended key has.
    case length(Int)
    case checksum
    /// The four letters by which keys of other scripts and coins begin.
    case version(String)
    /// A key for other networks than the wallet's.
    case network(AddressFormat, Network)
    /// The checksum is right, but the bytes are no point of the curve.
    case noPoint
    /// The key lies so many steps below the master key.
    case depth(UInt8)
    case notHardened

    package var description: String {
        switch self {
        case .character(let character, let place):
            "'\(character)' at place \(place) of the key is no character of base 58, which has no"
                + " 0, O, I and l either: copy the key again"
        case .length(let count):
            "an extended public key has 111 characters, not \(count): some are missing or too many"
        case .checksum: "the key's checksum is wrong: a character was changed; copy it again"
        case .version(let letters):
            "a key that begins with \(letters) is for another coin or kind of address: give the"
                + " account's key in the form xpub (tpub for test networks)"
        case .network(.test, let network):
            "the key is for test networks (tpub), and the wallet for \(network.rawValue): give the"
                + " account's xpub, or another --network"
        case .network(.main, let network):
            "the key is for mainnet (xpub), and the wallet for \(network.rawValue): give the"
                + " account's tpub, or another --network"
        case .noPoint: "the key has a right checksum, but is no public key: its program is wrong"
        case .depth(0):
            "this is a master key, from which an account's key can't be derived without the"
                + " private one: give the key of m/44'/5'/0'"
        case .depth(let depth):
            "the key lies \(depth) steps below the master key, an account's lies 3"
                + " (m/44'/5'/0'), or 1 in old wallets (m/0'): give that one"
        case .notHardened:
            "the last step to the key is not hardened, as an account's is (m/44'/5'/0'): give the"
                + " account's key"
        }
    }
}

/// The fault of a key's origin, `[73c5da0a/44'/5'/0']`.
package enum KeyOriginFault: Equatable, Sendable, CustomStringConvertible {
    /// The brackets hold no fingerprint with a path.
    case form
    /// The path does not lead to the key, which has this depth and this number of an account.
    case path(String, depth: UInt8, number: UInt32)
    /// The fingerprint is not the one in the key.
    case fingerprint
    /// The path is not one of BIP 44.
    case purpose(String)
    case coinType(UInt32, expected: UInt32)
    /// A single key with an origin or a branch, of which nothing would be kept.
    case singleKey

    package var description: String {
        switch self {
        case .form:
            "the brackets before the key hold 8 hexadecimal digits and a path, as in"
                + " [73c5da0a/44'/5'/0']: correct them, or leave them out"
        case .path(let path, let depth, let number):
            "the path \(path) in the brackets does not lead to this key, which is number"
                + " \(number)' at depth \(depth): one of them is of another account"
        case .fingerprint:
            "the fingerprint in the brackets is not the master key's, which this key names: correct"
                + " it, or leave the brackets out"
        case .purpose(let path):
            "addresses below \(path) are not those of a wallet here: give the key of m/44'/5'/0'"
        case .coinType(let found, let expected):
            "the path has the coin type \(found)', and this wallet \(expected)': give the other"
                + " account's key, or another --chain, --network or --coin-type"
        case .singleKey:
            "a single key is taken without brackets and branch: give its 66 digits alone"
        }
    }
}

/// The fault of a descriptor (BIP 380).
package enum DescriptorFault: Equatable, Sendable, CustomStringConvertible {
    /// The name of a function other than `pkh`.
    case function(String)
    case parenthesis
    case checksum
    /// The text after the key.
    case branch(String)
    /// Several keys that are not known to be one wallet's.
    case severalWallets

    package var description: String {
        switch self {
        case .function(let name):
            "the descriptor is \(name)(…), and addresses here are pkh(…), of one key each: give"
                + " the descriptor of such an account"
        case .parenthesis: "the descriptor's last parenthesis is missing: copy it whole"
        case .checksum:
            "the descriptor's checksum, the eight characters after #, is wrong: a character was"
                + " changed; copy it again"
        case .branch(let branch):
            "'\(branch)' follows the key: a wallet's branches are /0/* and /1/*; give the"
                + " account's key alone"
        case .severalWallets:
            "the keys are of several wallets, or do not say that they are of one by the same"
                + " fingerprint in brackets: add them one by one"
        }
    }
}
