/// Why a text is no private key; the text itself never stands in an error.
package enum KeyImportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text has another length than a key has.
    case length(Int)
    /// The character at this place, counted from one, belongs to no key.
    case character(at: Int)
    /// A WIF's checksum does not fit: a typing error.
    case checksum
    /// A WIF of another coin or of another network.
    case version(UInt8, expected: UInt8)
    /// A number that is no private key: zero, or not below the group's order.
    case outOfRange

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .length(let length): "a text of \(length) characters is no private key"
        case .character(let place): "character \(place) belongs to no private key"
        case .checksum: "the key's checksum is wrong"
        case .version(let found, let expected):
            "a key of another coin or network: version \(found), expected \(expected)"
        case .outOfRange: "the number is no private key"
        }
    }
}
