import Foundation
import Testing

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

    /// Demands that the document has these lines, or writes them.
    package func expect(
        _ lines: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let made = lines.map { $0 + "\n" }.joined()
        var text = try Repository.text(document)
        let begin = try #require(text.range(of: "<!-- \(name) -->\n"))
        let end = try #require(text.range(of: "<!-- end of \(name) -->"))
        let place = begin.upperBound..<end.lowerBound
        if Self.isWriting {
            text.replaceSubrange(place, with: made)
            try Self.write(text, to: document)
        } else {
            #expect(
                text[place] == made, "make it again with tools/dev tables",
                sourceLocation: sourceLocation)
        }
    }

    /// Demands that a whole file has this text, or writes it.
    package static func expect(
        _ made: String, file: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        if isWriting { try write(made, to: file) }
        #expect(
            try Repository.text(file) == made, "make it again with tools/dev tables",
            sourceLocation: sourceLocation)
    }

    private static func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: Repository.root.appending(path: file))
    }
}
