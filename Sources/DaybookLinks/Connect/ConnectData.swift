import DaybookChains
import DaybookDomain
import DaybookEncoding

/// Which values of `data` are valid: those that a wallet can show whole and a node accepts.
enum ConnectData {
    static func isValid(_ data: JSON, _ type: ICONDataType) -> Bool {
        switch type {
        case .message: isHex(data)
        case .call: isCall(data)
        case .deploy: isDeployment(data)
        case .deposit: false
        }
    }

    private static func isCall(_ data: JSON) -> Bool {
        guard hasOnly(["method", "params"], data), let method = data["method"]?.stringValue else {
            return false
        }
        return !method.isEmpty && isPlain(method) && areParameters(data["params"])
    }

    private static func isDeployment(_ data: JSON) -> Bool {
        guard hasOnly(["contentType", "content", "params"], data),
            let type = data["contentType"]?.stringValue, let content = data["content"]
        else { return false }
        return ["application/zip", "application/java"].contains(type) && isHex(content)
            && areParameters(data["params"])
    }

    private static func areParameters(_ value: JSON?) -> Bool {
        guard let value else { return true }
        guard case .object = value else { return false }
        return isMadeOfTexts(value)
    }

    /// Whether a value is a text, or a list or object of texts, as a contract's parameters are.
    private static func isMadeOfTexts(_ value: JSON) -> Bool {
        switch value {
        case .string(let text): isPlain(text)
        case .array(let values): values.allSatisfy(isMadeOfTexts)
        case .object(let members):
            members.allSatisfy { isPlain($0.name) && isMadeOfTexts($0.value) }
        case .null, .bool, .number: false
        }
    }

    /// Whether a text can be signed: the serialization has no escape for U+0000.
    private static func isPlain(_ text: String) -> Bool { !text.utf8.contains(0) }

    private static func hasOnly(_ names: [String], _ value: JSON) -> Bool {
        guard case .object(let members) = value else { return false }
        return members.allSatisfy { member in names.contains { Text.equal($0, member.name) } }
    }

    /// T_BIN_DATA: `0x` and an even number of lower-case digits, at least two.
    private static func isHex(_ value: JSON) -> Bool {
        guard let digits = value.stringValue?.utf8, digits.starts(with: "0x".utf8) else {
            return false
        }
        return digits.count > 2 && digits.count.isMultiple(of: 2)
            && digits.dropFirst(2).allSatisfy(ICONInteger.isDigit)
    }
}

/// The host and the query items of an `iconex:` link, split but not decoded.
///
/// Clients build these links with URL types that leave `+`, `/`, `:` and `=` unescaped in a value.
/// A value therefore extends from the first `=` to the next `&`.
struct ConnectItems {
    /// `bind`, `JSON-RPC`, `developer`, …; empty in Connect's first form.
    let host: ArraySlice<UInt8>
    /// Whether the link has only allowed characters, and no fragment.
    let isWellFormed: Bool
    private var query: ArraySlice<UInt8> = []

    /// Splits a link; nil if no `//` follows the scheme.
    init?(_ text: Bytes) {
        guard let host = Self.host(of: text) else { return nil }
        self.host = host
        let rest = text[host.startIndex...]
        isWellFormed = LinkCharacters.query.admit(rest)
        let whole = LinkText.upTo("#", rest)
        query = whole[LinkText.upTo("?", whole).endIndex...].dropFirst()
    }

    /// The part between `//` and the path or query; nil if no `//` follows the scheme.
    static func host(of text: Bytes) -> ArraySlice<UInt8>? {
        LinkText.removing("//", from: LinkText.afterScheme(text))?.prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
    }

    /// Whether a host has this name, in any case.
    static func isHost(_ host: ArraySlice<UInt8>, _ name: String) -> Bool {
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

    /// The JSON object that an item holds in base64.
    func object(_ name: String) throws(Refusal) -> JSON {
        guard let raw = try only(name), !raw.isEmpty else {
            throw Refusal(.invalidRequest, parameter: name)
        }
        guard let decoded = Text.percentDecode(raw), let bytes = Base64.decode(decoded) else {
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
