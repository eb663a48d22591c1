import DaybookDomain
import DaybookEncoding

/// The two forms of a Connect link, told apart by the host of its URL.
enum ConnectForm {
    /// `iconex://?data=…&caller=…`, and every `iconex:` link with an unknown host.
    case documented
    /// `iconex://bind?data=…` and `iconex://JSON-RPC?data=…`.
    case jsonRPC

    /// The form of a link; nil if its scheme is not `iconex:`.
    init?(_ text: Bytes) {
        guard LinkText.hasScheme("iconex", text) else { return nil }
        let host = ConnectItems.host(of: text) ?? []
        let isJSONRPC = ["bind", "JSON-RPC"].contains { ConnectItems.isHost(host, $0) }
        self = isJSONRPC ? .jsonRPC : .documented
    }
}

/// The host and the query items of an `iconex:` link, split but not decoded.
///
/// Clients build these links with URL types that leave `+`, `/`, `:` and `=` unescaped in a value.
/// A value therefore extends from the first `=` to the next `&`.
struct ConnectItems {
    /// `bind`, `JSON-RPC`, `developer`, …; empty in Connect's first form.
    let host: ArraySlice<UInt8>
    /// The fault of the link's characters, in lower case; nil if all are allowed.
    let fault: String?
    private var query: ArraySlice<UInt8> = []

    /// Splits a link; nil if no `//` follows the scheme.
    init?(_ text: Bytes) {
        guard let host = Self.host(of: text) else { return nil }
        self.host = host
        let rest = text[host.startIndex...]
        fault = LinkCharacters.query.admit(rest) ? nil : LinkText.fault(of: rest)
        let whole = LinkText.upTo("#", rest)
        query = whole[LinkText.upTo("?", whole).endIndex...].dropFirst()
    }

    /// The part between `//` and the path or query; nil if no `//` follows the scheme.
    fileprivate static func host(of text: Bytes) -> ArraySlice<UInt8>? {
        LinkText.removing("//", from: LinkText.afterScheme(text))?.prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
    }

    /// Whether the host has this name, in any case.
    func hasHost(_ name: String) -> Bool { Self.isHost(host, name) }

    fileprivate static func isHost(_ host: ArraySlice<UInt8>, _ name: String) -> Bool {
        host.count == name.utf8.count
            && zip(host, name.utf8).allSatisfy { ($0 | 0x20) == ($1 | 0x20) }
    }

    /// The value of the only item with a name; nil if there is none, refused if there are several.
    func only(_ name: String) throws(Refusal) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        var start = query.startIndex
        while start < query.endIndex {
            let end = LinkText.first("&", query, from: start) ?? query.endIndex
            let piece = query[start..<end]
            start = end + 1
            guard Self.isItem(piece, of: name) else { continue }
            guard found == nil else { throw Refusal(.duplicateKey, parameter: name) }
            found = piece.dropFirst(name.utf8.count + 1)
        }
        return found
    }

    /// Whether an item has a name: the part before its first `=`, or all of it.
    private static func isItem(_ piece: ArraySlice<UInt8>, of name: String) -> Bool {
        let end = piece.startIndex + name.utf8.count
        return ByteOrder.begins(piece, with: name)
            && (end == piece.endIndex || piece[end] == UInt8(ascii: "="))
    }

    /// The bytes of escaped base64, as the wallets of the protocol read it: Android's breaks lines
    /// and needs no padding.
    private static func base64(_ raw: ArraySlice<UInt8>) throws(Refusal) -> Bytes? {
        guard var digits = Text.percentDecode(raw) else { return nil }
        // Nearly all is padded and on one line.
        if let bytes = Base64.decode(digits) { return bytes }
        guard !LinkText.holds(UInt8(ascii: " "), digits[...]) else {
            throw Refusal(.undecodable, parameter: "base64: a space stands where a + was, as %2B")
        }
        digits.removeAll { (0x09...0x0d).contains($0) }
        if digits.count % 4 > 1, digits.last != UInt8(ascii: "=") {
            digits += repeatElement(UInt8(ascii: "="), count: 4 - digits.count % 4)
        }
        return Base64.decode(digits)
    }

    /// The JSON object that an item holds in base64.
    func object(_ name: String) throws(Refusal) -> JSON {
        guard let raw = try only(name), !raw.isEmpty else {
            throw Refusal(.invalidRequest, parameter: name)
        }
        guard let bytes = try Self.base64(raw) else {
            throw Refusal(.undecodable, parameter: "base64")
        }
        let json: JSON
        do {
            json = try JSON.parse(bytes)
        } catch {
            throw Refusal(.undecodable, parameter: "json")
        }
        guard case .object = json else { throw Refusal(.undecodable, parameter: "json") }
        return json
    }
}

/// The encoding of an answer into the caller's URL, the same in both forms of Connect.
enum ConnectAnswer {
    /// The caller's URL with the object in base64; only `=` is escaped.
    static func url(_ caller: Caller, _ object: JSON) -> String {
        let data = Base64.encode(Bytes(object.text().utf8))
        let digits = data.utf8.prefix { $0 != UInt8(ascii: "=") }
        let padding = String(repeating: "%3D", count: data.utf8.count - digits.count)
        return "\(caller.prefix)?data=\(Substring(digits))\(padding)"
    }
}
