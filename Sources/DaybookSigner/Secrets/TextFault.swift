/// A change that an editor may have made to a typed secret, so that nobody can type it again.
package enum TextFault: Equatable, Sendable, CaseIterable, CustomStringConvertible {
    case utf16
    case nul
    case notUTF8
    case byteOrderMark
    case lineBreak

    /// The first fault of a text; nil if a person can type it.
    package static func of(_ text: Span<UInt8>) -> TextFault? {
        if starts(text, with: [0xff, 0xfe]) || starts(text, with: [0xfe, 0xff]) { return .utf16 }
        if text.indices.contains(where: { text[$0] == 0 }) { return .nul }
        guard (try? UTF8Span(validating: text)) != nil else { return .notUTF8 }
        if starts(text, with: [0xef, 0xbb, 0xbf]) { return .byteOrderMark }
        let isBroken = text.indices.contains { [0x0a, 0x0d].contains(text[$0]) }
        return isBroken ? .lineBreak : nil
    }

    private static func starts(_ text: Span<UInt8>, with mark: [UInt8]) -> Bool {
        text.count >= mark.count && mark.indices.allSatisfy { text[$0] == mark[$0] }
    }

    /// The fault, as the words after the name of the text, and the remedy.
    package var description: String {
        switch self {
        case .utf16: "is in UTF-16: save its file as UTF-8"
        case .nul: "has a NUL byte, as UTF-16 has: save its file as UTF-8"
        case .notUTF8: "is not in UTF-8, but perhaps in Latin-1: save its file as UTF-8"
        case .byteOrderMark: "begins with a byte order mark: save its file without one"
        case .lineBreak: "has a line break, apart from one at its file's end: remove it"
        }
    }
}
