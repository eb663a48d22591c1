import DaybookCrypto
package import DaybookEncoding

/// What a user is shown before deciding: named lines, every text already escaped.
///
/// A decision carries the digest of the prompt that was shown. When it arrives, the prompt is made
/// again from the state of that moment, and the decision counts only if the digests are equal.
package struct Prompt: Equatable, Sendable {
    package let lines: [Line]

    package init(_ lines: [Line]) {
        self.lines = lines
    }

    /// One line: a fixed name of ours, and a text that is safe to print.
    package struct Line: Equatable, Sendable {
        package let name: String
        package let text: String

        package init(_ name: String, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The text of the line with this name.
    package subscript(name: String) -> String? {
        lines.first { $0.name == name }?.text
    }

    /// SHA-256 of the prompt's canonical bytes.
    package var digest: Bytes {
        SHA256.hash(coded.encoded())
    }

    package var coded: CBOR {
        .record([
            "lines": .list(lines) { .array([.text($0.name), .text($0.text)]) }
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        lines = try fields.list("lines") { (item) throws(FieldError) in
            guard let pair = item.record.arrayValue, pair.count == 2,
                let name = pair[0].textValue, let text = pair[1].textValue
            else { throw item.wrong("a pair of texts") }
            return Line(name, text)
        }
    }
}
