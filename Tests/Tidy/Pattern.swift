import Foundation

/// A regular expression, in whose matches `^` and `$` are the ends of lines.
struct Pattern: Sendable {
    private let expression: NSRegularExpression

    init(_ pattern: String) {
        do {
            expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        } catch {
            preconditionFailure("a rule's pattern is written here, and its samples try it")
        }
    }

    /// The matches' lines, from 1, and groups; the first group is the whole match.
    func matches(in text: String) -> [(line: Int, groups: [String])] {
        let whole = text as NSString
        let range = NSRange(location: 0, length: whole.length)
        return expression.matches(in: text, range: range).map { match in
            let before = whole.substring(to: match.range.location)
            let groups = (0..<match.numberOfRanges).map { index in
                let range = match.range(at: index)
                return range.location == NSNotFound ? "" : whole.substring(with: range)
            }
            return (before.utf8.count { $0 == UInt8(ascii: "\n") } + 1, groups)
        }
    }

    /// Where the matches lie, as places of Unicode scalars, and their lines, from 1.
    func ranges(in text: String) -> [(line: Int, range: Range<Int>)] {
        let whole = text as NSString
        let range = NSRange(location: 0, length: whole.length)
        return expression.matches(in: text, range: range).map { match in
            let before = whole.substring(to: match.range.location).unicodeScalars
            let count = whole.substring(with: match.range).unicodeScalars.count
            let line = before.count { $0 == "\n" } + 1
            return (line, before.count..<before.count + count)
        }
    }
}
