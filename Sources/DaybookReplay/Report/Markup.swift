import DaybookCrypto
import DaybookEncoding

/// Writes the HTML of a page; nothing gets into a page in any other way.
///
/// It escapes every text. Elements, attributes and links are values of their own, which no text can
/// turn into. Bytes are handed to the sink in pieces, so that a long page needs little memory.
struct Markup {
    private var bytes = Bytes()
    private let sink: (Bytes) throws -> Void

    /// The number of bytes from which on `drain` hands them to the sink.
    private static let piece = 1 << 16

    init(to sink: @escaping (Bytes) throws -> Void) {
        self.sink = sink
    }

    /// Hands the bytes to the sink once there are enough of them; at the end in any case.
    mutating func drain(isEnd: Bool = false) throws {
        guard isEnd || bytes.count >= Self.piece else { return }
        try sink(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    // MARK: - Elements

    mutating func element<Failure: Error>(
        _ tag: Tag, _ attributes: [Attribute] = [],
        _ content: (inout Markup) throws(Failure) -> Void
    ) throws(Failure) {
        open(tag, attributes)
        try content(&self)
        write("</")
        write(tag.rawValue)
        write(">")
    }

    mutating func element(_ tag: Tag, _ attributes: [Attribute], _ text: String) {
        element(tag, attributes) { $0.text(text) }
    }

    mutating func element(_ tag: Tag, _ text: String) {
        element(tag, [], text)
    }

    /// Writes an element that has no content, such as `meta`.
    mutating func empty(_ tag: Tag, _ attributes: [Attribute]) {
        open(tag, attributes)
    }

    /// Writes the document type.
    mutating func doctype() { write(Report.beginning) }

    /// Writes the style sheet.
    mutating func stylesheet() {
        open(.style, [])
        write(ReportResources.style)
        write("</style>")
    }

    /// The page's only script.
    mutating func proofScript() {
        open(.script, [])
        write(ReportResources.script)
        write("</script>")
    }

    private mutating func open(_ tag: Tag, _ attributes: [Attribute]) {
        write("<")
        write(tag.rawValue)
        for attribute in attributes {
            write(" ")
            write(attribute.name)
            guard let value = attribute.value else { continue }
            write("=\"")
            text(value)
            write("\"")
        }
        write(">")
    }

    // MARK: - Texts

    /// Writes a text, which may be untrusted.
    mutating func text(_ text: String) {
        if Self.isPlain(text) { return write(text) }
        writeEscaped(Text.escaped(text))
    }

    /// Writes a text whose invisible characters are escaped already, such as a prompt's.
    mutating func shown(_ text: String) {
        writeEscaped(Text.onOneLine(text))
    }

    /// Writes a text, or the beginning of a long one with the digest of the whole.
    mutating func excerpt(_ text: String, longest: Int = 2048) {
        guard text.utf8.count > longest else { return self.text(text) }
        self.text(String(text.unicodeScalars.prefix(longest / 2)))
        let digest = Hex.encode(SHA256.hash(Bytes(text.utf8)))
        self.text("… (\(text.utf8.count) bytes, SHA-256 \(digest))")
    }

    /// Whether a text needs no escaping, as most do not.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte < 0x7f && !Self.escaped.contains(byte)
        }
    }

    private static let escaped = Bytes("&<>\"'\\".utf8)

    private mutating func writeEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): write("&amp;")
            case UInt8(ascii: "<"): write("&lt;")
            case UInt8(ascii: ">"): write("&gt;")
            case UInt8(ascii: "\""): write("&quot;")
            case UInt8(ascii: "'"): write("&#39;")
            default: bytes.append(byte)
            }
        }
    }

    private mutating func write(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }
}

/// The building blocks of the page.
extension Markup {
    mutating func link(to anchor: Anchor, _ text: String) {
        element(.a, [.link(to: anchor)], text)
    }

    mutating func time(_ microseconds: UInt64) {
        element(.time, Timestamp.readable(microseconds))
    }

    /// Writes a text that people compare or copy character by character.
    mutating func code(_ text: String) {
        element(.code) { $0.excerpt(text) }
    }

    /// Writes a name and its value in a definition list.
    mutating func pair(_ name: String, _ value: (inout Markup) -> Void) {
        element(.div) { page in
            page.element(.dt, name)
            page.element(.dd, [], value)
        }
    }

    /// Writes a status as a word with a colour.
    mutating func badge(_ word: String, _ standing: Standing) {
        let style: StaticString
        switch standing {
        case .good: style = "badge good"
        case .bad: style = "badge bad"
        case .open: style = "badge open"
        case .quiet: style = "badge"
        }
        element(.span, [.style(style)], word)
    }

    /// The colour of a badge.
    enum Standing {
        case good, bad, open, quiet
    }

    /// Writes a table, which scrolls where it is too wide for the screen.
    mutating func table<Failure: Error>(
        _ caption: String, _ columns: [String], numbers: [Int] = [],
        _ rows: (inout Markup) throws(Failure) -> Void
    ) throws(Failure) {
        let attributes: [Attribute] = [
            .style("wide"), .fixed("tabindex", "0"), .fixed("role", "region"), .label(caption),
        ]
        try element(.div, attributes) { page throws(Failure) in
            try page.element(.table) { page throws(Failure) in
                page.element(.caption, caption)
                page.element(.thead) { page in
                    page.element(.tr) { page in
                        for (index, column) in columns.enumerated() {
                            let scope = Attribute.fixed("scope", "col")
                            page.element(
                                .th, numbers.contains(index) ? [scope, .style("number")] : [scope],
                                column)
                        }
                    }
                }
                try page.element(.tbody, [], rows)
            }
        }
    }

    mutating func row(_ cells: (inout Markup) -> Void) {
        element(.tr, [], cells)
    }

    mutating func cell(_ text: String) { element(.td, text) }

    mutating func number(_ text: String) { element(.td, [.style("number")], text) }

    mutating func cell(_ content: (inout Markup) -> Void) { element(.td, [], content) }

    /// Writes a part that the reader opens; on paper it is always open.
    mutating func details<Failure: Error>(
        _ attributes: [Attribute] = [], isOpen: Bool = false,
        summary: (inout Markup) -> Void, _ content: (inout Markup) throws(Failure) -> Void
    ) throws(Failure) {
        try element(.details, attributes + (isOpen ? [.open] : [])) {
            page throws(Failure) in
            page.element(.summary, [], summary)
            try content(&page)
        }
    }
}

/// The elements of a page; none of them loads anything.
enum Tag: String {
    case html, head, body, meta, title, style, script, noscript
    case header, main, nav, section, footer
    case h1, h2, h3, p, ul, ol, li, dl, dt, dd, div, span, a, b, i, code, time, figure, figcaption
    case table, caption, thead, tbody, tr, th, td
    case details, summary
    case svg, g, path, rect
}

/// An attribute of an element.
///
/// Its name is never a text from outside, so that such a text can't become code.
struct Attribute {
    let name: String
    /// The value before escaping; nil for an attribute without one.
    let value: String?

    static func id(_ anchor: Anchor) -> Attribute { Attribute(name: "id", value: anchor.id) }

    static func link(to anchor: Anchor) -> Attribute {
        Attribute(name: "href", value: "#\(anchor.id)")
    }

    /// An attribute with a fixed value.
    static func fixed(_ name: StaticString, _ value: StaticString) -> Attribute {
        Attribute(name: name.description, value: value.description)
    }

    /// The content security policy: the page's own style sheet and script, and nothing else.
    static let policy = Attribute(
        name: "content",
        value: "default-src 'none'; script-src '\(ReportResources.scriptDigest)'; "
            + "style-src 'unsafe-inline'; img-src data:")

    static func style(_ name: StaticString) -> Attribute { fixed("class", name) }

    static let open = Attribute(name: "open", value: nil)

    /// The text that a screen reader reads in place of a drawing.
    static func label(_ text: String) -> Attribute {
        Attribute(name: "aria-label", value: text)
    }

    static func number(_ name: StaticString, _ value: Int) -> Attribute {
        Attribute(name: name.description, value: String(value))
    }

    /// The path of a shape.
    static func drawn(_ steps: [Stroke]) -> Attribute {
        Attribute(name: "d", value: steps.map(\.text).joined())
    }

    /// A place in a drawing, in thousandths of its width or height.
    static func place(_ side: Side, thousandths: Int) -> Attribute {
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 10)
        return Attribute(name: "style", value: "\(side.rawValue):\(whole).\(rest)%")
    }

    /// The side of a drawing from which a place is measured.
    enum Side: String {
        case left, bottom
    }

    /// One step of a path.
    enum Stroke {
        case move(Int, Int)
        case across(Int)
        case down(Int)

        var text: String {
            switch self {
            case .move(let x, let y): "M\(x) \(y)"
            case .across(let x): "H\(x)"
            case .down(let y): "V\(y)"
            }
        }
    }
}

/// The report's only script and its style, which the page holds: it loads nothing.
enum ReportResources {
    /// Shows how an event's leaf hash leads to the root of the tree.
    ///
    /// The page has each leaf hash once, and a hash for each batch of leaves. The script computes
    /// the audit path of RFC 6962, section 2.1.1, from these on demand, so that a page need not
    /// hold a path for each event. It has no `<`, so that nothing in it can end the element.
    static let script = String(decoding: PackageResources.report_js, as: UTF8.self)

    /// The digest by which the content security policy lets a browser run this script alone.
    static let scriptDigest = "sha256-" + Base64.encode(SHA256.hash(PackageResources.report_js))

    /// The looks: light and dark, wide and narrow, on a screen and on paper.
    static let style = String(decoding: PackageResources.report_css, as: UTF8.self)
}
