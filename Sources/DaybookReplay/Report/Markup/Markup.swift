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
