/// Why words or entropy make no mnemonic; a word itself never stands in an error.
package enum MnemonicError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Entropy has 16, 20, 24, 28 or 32 bytes.
    case entropyLength(Int)
    /// There are 12, 15, 18, 21 or 24 words.
    case wordCount(Int)
    /// The word at this place, counted from one, is not in the English list.
    case unknownWord(at: Int)
    /// Each word is in the list, but together they are wrong: one is another, or two are swapped.
    case checksum

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .entropyLength(let count): "a mnemonic is not made of \(count) bytes"
        case .wordCount(let count): "a mnemonic has 12, 15, 18, 21 or 24 words, not \(count)"
        case .unknownWord(let place): "word \(place) is not in the english list"
        case .checksum: "the words do not fit together: one is wrong or out of place"
        }
    }
}
