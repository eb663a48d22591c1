import DaybookCrypto
import DaybookEncoding

/// A page in the making: the one way in which anything gets into it.
///
/// Every text is escaped here, and elements, attributes and links are values that no text can
/// become. Bytes go out in pieces, so that a long page needs little memory.
struct Markup {
    private var bytes = Bytes()
    private let sink: (Bytes) throws -> Void

    /// From how many bytes on `drain` hands them out.
    private static let piece = 1 << 16

    init(to sink: @escaping (Bytes) throws -> Void) {
        self.sink = sink
    }

    /// Hands out what has gathered, once it is a good deal; at the end all of it.
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

    /// An element that never holds anything.
    mutating func empty(_ tag: Tag, _ attributes: [Attribute]) {
        open(tag, attributes)
    }

    /// What every page begins with.
    mutating func doctype() { write(Report.beginning) }

    /// The page's own looks.
    mutating func stylesheet() {
        open(.style, [])
        write(Stylesheet.text)
        write("</style>")
    }

    /// The page's only script.
    mutating func proofScript() {
        open(.script, [])
        write(ProofScript.text)
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

    /// A text of anyone's.
    mutating func text(_ text: String) {
        if Self.isPlain(text) { return write(text) }
        writeEscaped(Text.escaped(text))
    }

    /// A text in which all that can't be seen is spelled out already, such as a prompt's.
    mutating func shown(_ text: String) {
        writeEscaped(Text.onOneLine(text))
    }

    /// A text of any length: of a long one its beginning, and the digest of all of it.
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

/// What the parts of the page are put together from.
extension Markup {
    mutating func link(to anchor: Anchor, _ text: String) {
        element(.a, [.link(to: anchor)], text)
    }

    mutating func moment(_ microseconds: UInt64) {
        element(.time, Moment.text(microseconds))
    }

    /// A text to be compared or copied character by character.
    mutating func code(_ text: String) {
        element(.code) { $0.excerpt(text) }
    }

    /// A name and its value in a list of such.
    mutating func pair(_ name: String, _ value: (inout Markup) -> Void) {
        element(.div) { page in
            page.element(.dt, name)
            page.element(.dd, [], value)
        }
    }

    /// A word that says how something stands, also where colours do not show.
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

    /// How something stands.
    enum Standing {
        case good, bad, open, quiet
    }

    /// A table that scrolls by itself where it is too wide.
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

    /// What is shown only when it is asked for, or printed.
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

/// The elements that a page is made of; there is none that fetches anything.
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
/// It can be made in these ways only: a text of a caller's finds none that means something.
struct Attribute {
    let name: String
    /// Not escaped yet; nil for an attribute that is there or not.
    let value: String?

    static func id(_ anchor: Anchor) -> Attribute { Attribute(name: "id", value: anchor.id) }

    static func link(to anchor: Anchor) -> Attribute {
        Attribute(name: "href", value: "#\(anchor.id)")
    }

    /// Any attribute with a value of our own.
    static func fixed(_ name: StaticString, _ value: StaticString) -> Attribute {
        Attribute(name: name.description, value: value.description)
    }

    /// What a browser may load and run: the page's own looks, and its one script.
    static let policy = Attribute(
        name: "content",
        value: "default-src 'none'; script-src '\(ProofScript.digest)'; "
            + "style-src 'unsafe-inline'; img-src data:")

    static func style(_ name: StaticString) -> Attribute { fixed("class", name) }

    static let open = Attribute(name: "open", value: nil)

    /// What a program reads aloud in place of a drawing.
    static func label(_ text: String) -> Attribute {
        Attribute(name: "aria-label", value: text)
    }

    static func number(_ name: StaticString, _ value: Int) -> Attribute {
        Attribute(name: name.description, value: String(value))
    }

    /// The steps that a shape is drawn in.
    static func drawn(_ steps: [Stroke]) -> Attribute {
        Attribute(name: "d", value: steps.map(\.text).joined())
    }

    /// Where in a drawing something stands, in thousandths of its width or height.
    static func place(_ side: Side, thousandths: Int) -> Attribute {
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 10)
        return Attribute(name: "style", value: "\(side.rawValue):\(whole).\(rest)%")
    }

    /// A side of a drawing that places are counted from.
    enum Side: String {
        case left, bottom
    }

    /// One step of a pen.
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
