import Foundation

/// A part of a document that is made from the program, between two comments with its name.
///
/// A test says what the lines between `<!-- NAME -->` and `<!-- end of NAME -->` must be;
/// `tools/dev tables` lets the same test write them.
package struct MadeText {
    /// Whether documents are to be written.
    private static let isWriting = ProcessInfo.processInfo.environment["DAYBOOK_DRAW"] != nil

    private let document: String
    private let name: String

    package init(_ name: String, in document: String) {
        self.name = name
        self.document = document
    }

    /// A document that does not say what the program does.
    package struct Outdated: Error, CustomStringConvertible {
        package let description: String

        fileprivate init(_ document: String, _ what: String) {
            description = "\(document) \(what): make it again with tools/dev tables"
        }
    }

    /// Demands that the document has these lines, or writes them; throws `Outdated`.
    package func expect(_ lines: [String]) throws {
        let made = lines.map { $0 + "\n" }.joined()
        var text = try Repository.text(document)
        guard let begin = text.range(of: "<!-- \(name) -->\n"),
            let end = text.range(of: "<!-- end of \(name) -->")
        else { throw Outdated(document, "has no place for '\(name)'") }
        let place = begin.upperBound..<end.lowerBound
        if Self.isWriting {
            text.replaceSubrange(place, with: made)
            try Self.write(text, to: document)
        } else if text[place] != made {
            throw Outdated(document, "has other lines for '\(name)': \(made)")
        }
    }

    /// Demands that a whole file has this text, or writes it; throws `Outdated`.
    package static func expect(_ made: String, file: String) throws {
        if isWriting { try write(made, to: file) }
        guard try Repository.text(file) == made else { throw Outdated(file, "has another text") }
    }

    private static func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: Repository.root.appending(path: file))
    }
}
