import DaybookEncoding
import Testing

@testable import DaybookReplay

/// A page taken apart as strictly as the report writes it; what a browser would mend is an error.
struct Page {
    let bytes: Bytes
    let text: String
    private(set) var elements: [Element] = []
    /// What a reader sees, without the stylesheet and the script.
    private(set) var shown = ""

    struct Element {
        let tag: String
        let attributes: [String: String]
    }

    /// What a browser would have to mend, or worse would take for something else.
    struct Unsound: Error {
        let what: String
    }

    private static let entities = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ]
    private static let withoutEnd = ["meta"]

    init(_ bytes: Bytes) throws {
        self.bytes = bytes
        text = try #require(Text.utf8String(bytes), "the page is UTF-8")
        let beginning = Bytes("<!DOCTYPE html>\n".utf8)
        try #require(bytes.starts(with: beginning))
        var rest = bytes.dropFirst(beginning.count)
        var open: [String] = []
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            if open.last != "style", open.last != "script" {
                shown += try Self.unescaped(rest[..<mark])
            }
            guard let end = rest[mark...].firstIndex(of: UInt8(ascii: ">")) else {
                throw Unsound(what: "a tag without end")
            }
            let tag = rest[(mark + 1)..<end]
            rest = rest[(end + 1)...]
            if tag.first == UInt8(ascii: "/") {
                let name = String(decoding: tag.dropFirst(), as: UTF8.self)
                guard open.popLast() == name else { throw Unsound(what: "</\(name)>") }
            } else {
                let element = try Self.element(String(decoding: tag, as: UTF8.self))
                elements.append(element)
                if !Self.withoutEnd.contains(element.tag) { open.append(element.tag) }
            }
        }
        try #require(open.isEmpty && rest.isEmpty, "all is closed")
    }

    /// A name, and then ` name="value"` or ` name` for each attribute.
    private static func element(_ tag: String) throws -> Element {
        let parts = tag.utf8.split(
            separator: UInt8(ascii: "\""), omittingEmptySubsequences: false
        ).map { String($0) ?? "" }
        var words = parts[0].split(separator: " ")
        let name = String(words.removeFirst())
        var attributes: [String: String] = [:]
        for index in parts.indices where index % 2 == 0 {
            if index > 0 { words = parts[index].split(separator: " ") }
            for word in words {
                let key = word.hasSuffix("=") ? word.dropLast() : word
                let value = word.hasSuffix("=") ? parts[index + 1] : ""
                guard Self.attributes.contains(String(key)), attributes[String(key)] == nil
                else { throw Unsound(what: tag) }
                attributes[String(key)] = try unescaped(Bytes(value.utf8)[...])
            }
        }
        return Element(tag: name, attributes: attributes)
    }

    private static func unescaped(_ raw: ArraySlice<UInt8>) throws -> String {
        guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
        var result = Bytes()
        var rest = raw
        while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<mark]
            rest = rest[mark...]
            guard let entity = entities.first(where: { rest.starts(with: $0.0.utf8) }) else {
                throw Unsound(what: String(decoding: rest.prefix(9), as: UTF8.self))
            }
            result += entity.1.utf8
            rest = rest.dropFirst(entity.0.utf8.count)
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    /// Checks all that must hold of a page whatever is in the log.
    func expectSound(at place: SourceLocation = #_sourceLocation) {
        let ids = elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count, "ids are unique", sourceLocation: place)
        let anchors = Set(ids.map { "#\($0)" })
        #expect(elements.count { $0.tag == "script" } == 1, sourceLocation: place)
        #expect(
            text.contains("<script>\(ReportResources.script)</script></body></html>"),
            sourceLocation: place)
        let used = Set(elements.map(\.tag))
        #expect(used.subtracting(Self.tags) == [], sourceLocation: place)
        for element in elements {
            for (name, value) in element.attributes {
                if name == "href", !anchors.contains(value) {
                    Issue.record("\(value) leads nowhere", sourceLocation: place)
                }
                if name == "style" {
                    #expect(
                        value.wholeMatch(of: /(left|bottom):[0-9]+\.[0-9]%/) != nil,
                        sourceLocation: place)
                }
            }
        }
        let others = text.unicodeScalars.filter { $0 != "\n" && !(" "..."~").contains($0) }
        let line = String(String.UnicodeScalarView(others))
        #expect(Text.equal(Text.onOneLine(line), line), "it hides nothing", sourceLocation: place)
    }

    private static let tags: Set<String> = [
        "html", "head", "body", "meta", "title", "style", "script", "noscript", "header", "main",
        "nav", "section",
        "h1", "h2", "h3", "p", "ul", "ol", "li", "dl", "dt", "dd", "div", "span", "a", "b", "i",
        "code", "time", "figure", "figcaption", "table", "caption", "thead", "tbody", "tr", "th",
        "td", "details", "summary", "svg", "g", "path", "rect",
    ]

    /// None of them fetches or runs anything; `href` leads into the page. The one script is the
    /// page's own.
    private static let attributes: Set<String> = [
        "id", "class", "href", "style", "lang", "charset", "http-equiv", "content", "name",
        "aria-label", "role", "tabindex", "scope", "open", "viewBox",
        "preserveAspectRatio", "d", "x", "y", "width", "height",
    ]
}
