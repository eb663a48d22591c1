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
        var (line, counted) = (1, 0)
        return expression.matches(in: text, range: range).map { match in
            let gap = NSRange(counted..<match.range.location)
            line += whole.substring(with: gap).utf8.count { $0 == UInt8(ascii: "\n") }
            counted = match.range.location
            let groups = (0..<match.numberOfRanges).map { index in
                let range = match.range(at: index)
                return range.location == NSNotFound ? "" : whole.substring(with: range)
            }
            return (line, groups)
        }
    }

    /// Where the matches lie, as places of Unicode scalars, and their lines, from 1.
    func ranges(in text: String) -> [(line: Int, range: Range<Int>)] {
        let whole = text as NSString
        let range = NSRange(location: 0, length: whole.length)
        var (line, counted, start) = (1, 0, 0)
        return expression.matches(in: text, range: range).map { match in
            let gap = NSRange(counted..<match.range.location)
            let before = whole.substring(with: gap).unicodeScalars
            line += before.count { $0 == "\n" }
            start += before.count
            counted = match.range.location
            let count = whole.substring(with: match.range).unicodeScalars.count
            return (line, start..<start + count)
        }
    }
}
