import DaybookEncoding
import Testing

@testable import DaybookReplay

/// A page taken apart as strictly as the report writes it; what a browser would mend is an error.
struct ReportPage {
    let bytes: Bytes
    let text: String
    private(set) var elements: [Element] = []
    /// The text for a reader without scripts.
    private(set) var shown = ""
    /// The pieces of data, by their kinds.
    private(set) var data: [String: [JSON]] = [:]
    /// The style and the script.
    private(set) var code: [Bytes] = []

    /// All texts of the data, which the script may show.
    var texts: [String] {
        data.keys.sorted().flatMap { data[$0] ?? [] }
            .flatMap { $0["texts"]?.arrayValue ?? [] }.compactMap(\.stringValue)
    }

    struct Element {
        let tag: String
        let attributes: [String: String]
    }

    /// A fault that a browser would mend, or worse would take for something else.
    struct Unsound: Error {
        let what: String
    }

    private static let entities = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ]
    private static let withoutEnd = ["meta", "input"]

    init(_ bytes: Bytes) throws {
        self.bytes = bytes
        text = try #require(Text.utf8String(bytes), "the page is UTF-8")
        let beginning = Bytes("<!DOCTYPE html>\n".utf8)
        try #require(bytes.starts(with: beginning))
        var rest = bytes.dropFirst(beginning.count)
        var open: [String] = []
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            shown += try Self.unescaped(rest[..<mark])
            guard let end = rest[mark...].firstIndex(of: UInt8(ascii: ">")) else {
                throw Unsound(what: "a tag without end")
            }
            let tag = rest[(mark + 1)..<end]
            rest = rest[(end + 1)...]
            if tag.first == UInt8(ascii: "/") {
                let name = String(decoding: tag.dropFirst(), as: UTF8.self)
                guard open.popLast() == name else { throw Unsound(what: "</\(name)>") }
                continue
            }
            let element = try Self.element(String(decoding: tag, as: UTF8.self))
            elements.append(element)
            if element.tag == "script" || element.tag == "style" {
                try takeRaw(element, &rest)
            } else if !Self.withoutEnd.contains(element.tag) {
                open.append(element.tag)
            }
        }
        try #require(open.isEmpty && rest.allSatisfy { $0 == 0x0a }, "all is closed")
    }

    /// Takes the content of a script or a style, which ends at the first end tag.
    private mutating func takeRaw(_ element: Element, _ rest: inout ArraySlice<UInt8>) throws {
        let end = Bytes("</\(element.tag)>".utf8)
        guard let place = rest.indices.first(where: { rest[$0...].starts(with: end) }) else {
            throw Unsound(what: "a \(element.tag) without end")
        }
        let content = Bytes(rest[..<place])
        rest = rest[(place + end.count)...]
        if let kind = element.attributes["class"] {
            #expect(element.attributes["type"] == "application/json")
            #expect(!content.contains(UInt8(ascii: "<")))
            data[kind, default: []].append(try JSON.parse(content))
        } else {
            code.append(content)
        }
    }

    /// A name, and then ` name="value"` or ` name` for each attribute.
    private static func element(_ tag: String) throws -> Element {
        let parts = tag.utf8.split(
            separator: UInt8(ascii: "\""), omittingEmptySubsequences: false
        ).map { String($0) ?? "" }
        var words = parts[0].split(whereSeparator: \.isWhitespace)
        let name = String(words.removeFirst())
        var attributes: [String: String] = [:]
        for index in parts.indices where index % 2 == 0 {
            if index > 0 { words = parts[index].split(whereSeparator: \.isWhitespace) }
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
        #expect(code == [Report.style, Report.script], sourceLocation: place)
        #expect(Set(elements.map(\.tag)).subtracting(Self.tags) == [], sourceLocation: place)
        for link in elements.compactMap({ $0.attributes["href"] }) {
            // The script opens requests and events.
            if link.wholeMatch(of: /#[re][0-9]+/) == nil, !anchors.contains(link) {
                Issue.record("\(link) leads nowhere", sourceLocation: place)
            }
        }
        for reference in ["aria-labelledby", "aria-controls"] {
            for id in elements.compactMap({ $0.attributes[reference] }) {
                // The script makes the tabs.
                let isThere = ids.contains(id) || ["tab-requests", "detail-title"].contains(id)
                #expect(isThere, "\(id)", sourceLocation: place)
            }
        }
        // The style and the script are ours; data and texts are not.
        var others = String.UnicodeScalarView()
        for text in [shown] + texts {
            others += text.unicodeScalars.filter { $0 != "\n" && !(" "..."~").contains($0) }
        }
        let line = String(others)
        #expect(Text.equal(Text.onOneLine(line), line), "it hides nothing", sourceLocation: place)
    }

    private static let tags: Set<String> = [
        "html", "head", "body", "meta", "title", "style", "script", "noscript", "header", "main",
        "nav", "section", "form", "label", "input", "select", "option", "button", "dialog",
        "h1", "h2", "h3", "p", "ul", "li", "dl", "dt", "dd", "div", "span", "a", "b", "code",
        "table", "caption", "thead", "tbody", "tr", "th", "td",
    ]

    /// None of them fetches or runs anything; `href` leads into the page.
    private static let attributes: Set<String> = [
        "id", "class", "href", "lang", "charset", "http-equiv", "content", "name", "type",
        "aria-label", "aria-labelledby", "aria-hidden", "role", "tabindex", "scope", "hidden",
        "placeholder", "autocomplete", "value", "colspan",
    ]
}
