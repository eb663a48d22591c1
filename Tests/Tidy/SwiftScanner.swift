import Testing

/// Tells Swift's code from its comments and strings, well enough for checks by word.
struct SwiftScanner {
    private let input: [Unicode.Scalar]
    private var output: [Unicode.Scalar] = []
    private var index = 0

    private init(_ text: String) {
        input = Array(text.unicodeScalars)
        output.reserveCapacity(input.count)
    }

    /// The text with a space for each character of a comment or a string; line breaks stay.
    ///
    /// An interpolation in a string is code.
    static func code(of text: String) -> String {
        var scanner = SwiftScanner(text)
        scanner.scanCode(untilParenthesis: false)
        var code = String.UnicodeScalarView()
        code.append(contentsOf: scanner.output)
        return String(code)
    }

    private mutating func scanCode(untilParenthesis: Bool) {
        var depth = 0
        while index < input.count {
            if isNext("//") {
                blankLine()
            } else if isNext("/*") {
                blankComment()
            } else if let hashes = hashesBeforeQuote {
                scanString(hashes: hashes)
            } else {
                if input[index] == "(" { depth += 1 }
                if input[index] == ")" { depth -= 1 }
                keep()
                if untilParenthesis, depth == 0 { return }
            }
        }
    }

    private mutating func blankLine() {
        while index < input.count, input[index] != "\n" { blank() }
    }

    private mutating func blankComment() {
        var depth = 0
        while index < input.count {
            if isNext("/*") {
                depth += 1
                blank(2)
            } else if isNext("*/") {
                depth -= 1
                blank(2)
                if depth == 0 { return }
            } else {
                blank()
            }
        }
    }

    /// How many `#` stand before a quotation mark that comes next; nil when none comes.
    private var hashesBeforeQuote: Int? {
        var end = index
        while end < input.count, input[end] == "#" { end += 1 }
        return end < input.count && input[end] == "\"" ? end - index : nil
    }

    private mutating func scanString(hashes: Int) {
        let marks = String(repeating: "#", count: hashes)
        blank(hashes)
        let quote = isNext("\"\"\"") ? "\"\"\"" : "\""
        blank(quote.count)
        while index < input.count, !isNext(quote + marks) {
            if isNext("\\\(marks)(") {
                blank(1 + hashes)
                scanCode(untilParenthesis: true)
            } else if isNext("\\\(marks)") {
                blank(2 + hashes)
            } else {
                blank()
            }
        }
        blank(quote.count + hashes)
    }

    private func isNext(_ text: String) -> Bool {
        var position = index
        for scalar in text.unicodeScalars {
            guard position < input.count, input[position] == scalar else { return false }
            position += 1
        }
        return true
    }

    private mutating func keep() {
        output.append(input[index])
        index += 1
    }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<min(count, input.count - index) {
            output.append(input[index] == "\n" ? "\n" : " ")
            index += 1
        }
    }
}

struct SwiftScannerTests {
    @Test(arguments: [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */ d */ e", "a                   e"),
        ("a \"b\" c", "a     c"),
        (#"a "\"b" c"#, "a       c"),
        (#"a "\(b("c"))d" e"#, #"a   (b(   ))   e"#),
        ("a #\"b\"c\"# d", "a         d"),
        (##"a #"\(b)\#(c)"# d"##, "a         (c)   d"),
        ("a \"\"\"\nb \"c\"\n\"\"\" d", "a    \n     \n    d"),
        ("a /* \"b */ c", "a          c"),
        ("a \"// b\" c", "a        c"),
        ("#if a\n#expect(\"b\")", "#if a\n#expect(   )"),
    ])
    func `comments and strings are blanked, code and what strings interpolate stay`(
        text: String, code: String
    ) {
        #expect(SwiftScanner.code(of: text) == code)
    }
}
