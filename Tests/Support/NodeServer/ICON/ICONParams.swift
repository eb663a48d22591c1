import DaybookChains
import DaybookEncoding

/// The params of a question to an ICON node, with the complaints of goloop.
struct ICONParams {
    private let params: JSON?

    /// The form that a field must have.
    enum Form {
        case address
        case contract
        case integer
        case hash
        case call
        case anything
    }

    init(_ params: JSON?) {
        self.params = params
    }

    static let missing = NodeRefusal(
        -32602, "InvalidParams: fail to unmarshal, 'params' of request is required ")

    subscript(name: String) -> String? { params?[name]?.stringValue }

    func value(_ name: String) -> JSON? { params?[name] }

    /// The node reads first, where one fault ends it, and then names the first that breaks a rule.
    func check(_ forms: KeyValuePairs<String, Form>, optional: Set<String> = []) throws {
        guard let members = params?.objectValue else { throw Self.missing }
        for member in members where !forms.contains(where: { $0.key == member.name }) {
            throw NodeRefusal(
                -32602, "InvalidParams: fail to unmarshal, unknown field '\(member.name)'")
        }
        for (name, form) in forms {
            guard let value = params?[name] else {
                if optional.contains(name) { continue }
                throw Self.invalid("required('\(name)')")
            }
            guard Self.fits(value, form) else {
                throw Self.invalid("\(Self.rule(form))('\(name)')")
            }
        }
    }

    /// The transaction's hash that is asked for.
    func hash() throws -> Bytes {
        try check(["txHash": .hash])
        return self["txHash"].flatMap { Hex.decode($0.dropFirst(2)) } ?? []
    }

    private static func fits(_ value: JSON, _ form: Form) -> Bool {
        let text = value.stringValue
        return switch form {
        case .address: text.flatMap { ICONAddress($0) } != nil
        case .contract: text.flatMap { ICONAddress($0) }?.kind == .contract
        case .integer: text.map(ICONInteger.isCanonical) == true
        case .hash:
            text.map { $0.hasPrefix("0x") && $0.utf8.count == 66 } == true
                && text.flatMap { Hex.decode($0.dropFirst(2)) } != nil
        case .call: text == "call"
        case .anything: true
        }
    }

    private static func rule(_ form: Form) -> String {
        switch form {
        case .address: "t_addr"
        case .contract: "t_addr_score"
        case .integer: "t_int"
        case .hash: "t_hash"
        case .call: "call"
        case .anything: ""
        }
    }

    private static func invalid(_ text: String) -> NodeRefusal {
        NodeRefusal(-32602, "InvalidParams: fail to validate, " + text)
    }
}
