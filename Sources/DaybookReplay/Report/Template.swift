import DaybookEncoding

/// Fills the page's template with texts, which it escapes.
///
/// `{{name}}` is a value; `{{#name}}…{{/name}}` is written once for each item of a list, and
/// `{{^name}}…{{/name}}` for a list without items. An item's scope is within that of the list.
struct Template {
    /// The values by their names.
    typealias Scope = [String: Value]

    /// A value of a template.
    enum Value {
        /// A text, which may be untrusted.
        case text(String)
        /// Bytes of ours, or escaped by us: the style, the script, and the data.
        case verbatim(Bytes)
        case items([Scope])
        /// Items that are made one after the other, so that not all are in memory.
        case stream((_ write: (Scope) throws -> Void) throws -> Void)

        /// A list of one item or of none.
        static func when(_ holds: Bool) -> Value { .items(holds ? [[:]] : []) }

        static func number(_ value: some BinaryInteger) -> Value { .text(String(value)) }

        /// A list of texts, each with the name `text`.
        static func texts(_ texts: [String]) -> Value { .items(texts.map { ["text": .text($0)] }) }
    }

    fileprivate enum Node {
        case verbatim(Bytes)
        case value(String)
        case list(String, isInverted: Bool, [Node])
    }

    private let nodes: [Node]

    /// Reads a template of ours; one that is not well formed is a bug.
    init(_ template: Bytes) {
        var rest = template[...]
        nodes = Self.nodes(&rest, until: nil)
    }

    /// Writes the template piece by piece.
    func write(_ scope: Scope, to sink: @escaping (Bytes) throws -> Void) throws {
        var output = Output(sink: sink)
        try output.write(nodes, [scope])
        try sink(output.bytes)
    }

    // MARK: - Reading

    private static func nodes(_ rest: inout ArraySlice<UInt8>, until end: String?) -> [Node] {
        var nodes: [Node] = []
        while let start = position(of: "{{", in: rest) {
            nodes.append(.verbatim(Bytes(rest[..<start])))
            rest = rest[(start + 2)...]
            guard let close = position(of: "}}", in: rest) else { break }
            let tag = String(decoding: rest[..<close], as: UTF8.self)
            rest = rest[(close + 2)...]
            let name = String(tag.dropFirst())
            switch tag.first {
            case "#", "^":
                let inner = self.nodes(&rest, until: name)
                nodes.append(.list(name, isInverted: tag.first == "^", inner))
            case "/":
                precondition(name == end, "a list of the template ends where it began")
                return nodes
            default: nodes.append(.value(tag))
            }
        }
        precondition(end == nil, "every list of the template ends")
        return nodes + [.verbatim(Bytes(rest))]
    }

    private static func position(of mark: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let mark = Bytes(mark.utf8)
        return bytes.indices.dropLast().first { bytes[$0] == mark[0] && bytes[$0 + 1] == mark[1] }
    }
}

/// Writes nodes with the values of scopes, the innermost last.
private struct Output {
    let sink: (Bytes) throws -> Void
    var bytes = Bytes()

    /// The number of bytes from which on they are handed to the sink.
    private static let piece = 1 << 16

    mutating func write(_ nodes: [Template.Node], _ scopes: [Template.Scope]) throws {
        for node in nodes {
            switch node {
            case .verbatim(let text): bytes += text
            case .value(let name): write(Self.value(name, scopes))
            case .list(let name, isInverted: false, let inner):
                switch Self.value(name, scopes) {
                case .items(let items): for item in items { try write(inner, scopes + [item]) }
                case .stream(let items): try items { try write(inner, scopes + [$0]) }
                case .text, .verbatim: preconditionFailure("\(name) is no list")
                }
            case .list(let name, isInverted: true, let inner):
                guard case .items(let items) = Self.value(name, scopes) else { continue }
                if items.isEmpty { try write(inner, scopes) }
            }
        }
        guard bytes.count >= Self.piece else { return }
        try sink(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    private static func value(_ name: String, _ scopes: [Template.Scope]) -> Template.Value {
        for scope in scopes.reversed() { if let value = scope[name] { return value } }
        preconditionFailure("the template has a value that the report does not give: \(name)")
    }

    private mutating func write(_ value: Template.Value) {
        switch value {
        case .text(let text): HTML.add(Text.escaped(text), to: &bytes)
        case .verbatim(let text): bytes += text
        case .items, .stream: preconditionFailure("a list is no value")
        }
    }
}

/// Texts and data within a page of HTML.
enum HTML {
    /// Adds a text of which nothing is markup.
    static func add(_ text: String, to bytes: inout Bytes) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            default: bytes.append(byte)
            }
        }
    }

    /// A value as a text in which nothing can end the script that it stands in.
    static func data(_ value: JSON) -> Bytes {
        var bytes = Bytes()
        for byte in value.text().utf8 {
            if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) }
        }
        return bytes
    }
}
