package import DaybookEncoding

/// The fields of a transaction's params, validated by the rules of a node.
package enum ICONFields {
    /// The purpose of the params, which decides the allowed and required fields.
    package enum Form: Hashable, Sendable {
        /// For signing: all fields but the signature.
        case unsigned
        /// For sending.
        case signed
        /// For estimating steps: no step limit and no signature; `data` is not checked.
        case estimate
    }

    /// Throws the first error of params.
    package static func check(_ params: JSON, as form: Form) throws(ICONFieldError) {
        if let first = problems(in: params, as: form).first { throw first }
    }

    /// All errors of params, in the order of the fields.
    ///
    /// An unknown field, or one of the wrong type, is reported alone, as the node does it.
    package static func problems(in params: JSON, as form: Form) -> [ICONFieldError] {
        guard case .object(let members) = params else {
            return [ICONFieldError(key: "params", problem: .malformed, rule: "object")]
        }
        let rules = rules(of: form)
        for member in members {
            if let problem = unreadable(member, by: rules) { return [problem] }
        }
        var problems: [ICONFieldError] = []
        for rule in rules {
            if let problem = rule.problem(of: params[rule.key]) { problems.append(problem) }
        }
        if form != .estimate { problems += ICONDataRules.problems(in: params) }
        return problems
    }

    private static func unreadable(_ member: JSON.Member, by rules: [Rule]) -> ICONFieldError? {
        guard let rule = rules.first(where: { Text.equal($0.key, member.name) })
        else { return ICONFieldError(key: member.name, problem: .unknown, rule: "unknown") }
        if rule.type != nil, member.value.stringValue == nil {
            return ICONFieldError(key: rule.key, problem: .notText, rule: rule.type ?? "")
        }
        return nil
    }

    private static func rules(of form: Form) -> [Rule] {
        switch form {
        case .unsigned: unsignedRules
        case .signed: allRules
        case .estimate: estimateRules
        }
    }

    private static let unsignedRules = allRules.filter { $0.key != "signature" }
    private static let estimateRules = unsignedRules.filter { $0.key != "stepLimit" }

    private static let allRules = [
        Rule("version", "t_int", type: "jsonrpc.HexInt", required: true, ICONInteger.isCanonical),
        Rule("from", "t_addr_eoa", type: "jsonrpc.Address", required: true) {
            ICONAddress($0)?.kind == .account
        },
        Rule("to", "t_addr", type: "jsonrpc.Address", required: true) { ICONAddress($0) != nil },
        Rule("value", "t_int", type: "jsonrpc.HexInt", ICONInteger.isCanonical),
        Rule("stepLimit", "t_int", type: "jsonrpc.HexInt", required: true, ICONInteger.isCanonical),
        Rule("timestamp", "t_int", type: "jsonrpc.HexInt", required: true, ICONInteger.isCanonical),
        Rule("nid", "t_int", type: "jsonrpc.HexInt", required: true, ICONInteger.isCanonical),
        Rule("nonce", "t_int", type: "jsonrpc.HexInt", ICONInteger.isCanonical),
        Rule("signature", "t_sig", type: "string", required: true, ICONSignature.isBase64),
        Rule("dataType", "call|deploy|message|deposit", type: "string") {
            ICONDataType(rawValue: $0) != nil
        },
        Rule("data", "data", type: nil) { _ in true },
    ]
}

extension ICONFields {
    /// The rule for one field: its form, and whether it is required.
    private struct Rule: Sendable {
        let key: String
        let name: String
        /// The node's name for the field's type; nil allows any value.
        let type: String?
        let required: Bool
        let fits: @Sendable (String) -> Bool

        init(
            _ key: String, _ name: String, type: String?, required: Bool = false,
            _ fits: @escaping @Sendable (String) -> Bool
        ) {
            self.key = key
            self.name = name
            self.type = type
            self.required = required
            self.fits = fits
        }

        func problem(of value: JSON?) -> ICONFieldError? {
            if required, value == nil || value?.stringValue?.isEmpty == true {
                return ICONFieldError(key: key, problem: .missing, rule: "required")
            }
            guard type != nil, let text = value?.stringValue, !fits(text) else { return nil }
            return ICONFieldError(key: key, problem: .malformed, rule: name)
        }
    }
}

/// An error in one field of a transaction's params.
package struct ICONFieldError: Error, Hashable, CustomStringConvertible {
    /// The kind of error.
    package enum Problem: Hashable, Sendable {
        /// A required field is absent or an empty text.
        case missing
        /// Transactions have no such field.
        case unknown
        /// The field must be a text.
        case notText
        /// The value does not have the field's form.
        case malformed
    }

    /// The field's name, such as `stepLimit`; names of unknown fields are cut at 64 characters.
    package let key: String
    package let problem: Problem
    /// The node's name of the broken rule, such as `t_int`.
    package let rule: String
    /// The node's name for the fault: the key, or a path below `data`.
    package let path: String

    init(key: String, problem: Problem, rule: String, path: String? = nil) {
        self.key = String(key.prefix(64))
        self.problem = problem
        self.rule = rule
        self.path = String((path ?? key).prefix(64))
    }

    /// The key and the error, for people.
    package var description: String {
        switch problem {
        case .missing: "'\(key)' is missing"
        case .unknown: "'\(key)' is not a transaction's field"
        case .notText: "'\(key)' is not text"
        case .malformed: "'\(path)' breaks the rule \(rule)"
        }
    }
}

/// The rules for `data`, which depend on `dataType`; without a type any value is allowed.
enum ICONDataRules {
    static func problems(in params: JSON) -> [ICONFieldError] {
        guard let name = params["dataType"]?.stringValue, let type = ICONDataType(rawValue: name)
        else { return [] }
        let data = params["data"]
        switch type {
        case .message:
            return isHex(data) ? [] : [malformed("data")]
        case .call, .deploy, .deposit:
            guard let data, case .object(let members) = data else { return [malformed("data")] }
            switch type {
            case .call: return call(data)
            case .deploy: return deploy(data)
            case .message, .deposit: return deposit(data, fields: members.count)
            }
        }
    }

    private static func call(_ data: JSON) -> [ICONFieldError] {
        // The node writes this field's name with a capital here.
        let method = data["method"] == nil ? [malformed("data.method", at: "Data")] : []
        return method + parameters(data)
    }

    private static func deploy(_ data: JSON) -> [ICONFieldError] {
        var problems: [ICONFieldError] = []
        switch data["contentType"]?.stringValue {
        case "application/zip", "application/java": break
        default: problems.append(malformed("data.contentType"))
        }
        if let content = data["content"], !isHex(content) {
            problems.append(malformed("data.content"))
        }
        return problems + parameters(data)
    }

    private static func deposit(_ data: JSON, fields: Int) -> [ICONFieldError] {
        switch data["action"]?.stringValue {
        case "add": return fields > 1 ? [malformed("data.unknown")] : []
        case "withdraw":
            for key in ["id", "amount"] {
                if let value = data[key], !isHex(value) {
                    return [malformed("data." + key, at: key)]
                }
            }
            let named = data["id"] != nil || data["amount"] != nil
            return fields > (named ? 2 : 1) ? [malformed("data.unknown")] : []
        default: return [malformed("data.action")]
        }
    }

    /// A contract's parameters are texts, lists and objects of texts; null is not allowed.
    private static func parameters(_ data: JSON) -> [ICONFieldError] {
        guard let params = data["params"] else { return [] }
        guard case .object(let members) = params else { return [malformed("data.params")] }
        return members.flatMap { parameter($0.value, at: "Data.params." + $0.name) }
    }

    private static func parameter(_ value: JSON, at path: String) -> [ICONFieldError] {
        switch value {
        case .string: []
        case .object(let members):
            members.flatMap { parameter($0.value, at: path + "." + $0.name) }
        case .array(let values):
            values.enumerated().flatMap { parameter($1, at: path + "[\($0)]") }
        case .null, .bool, .number: [malformed("data.params", at: path)]
        }
    }

    private static func isHex(_ value: JSON?) -> Bool {
        guard let text = value?.stringValue, text.utf8.count > 2, text.utf8.starts(with: "0x".utf8)
        else { return false }
        return text.utf8.dropFirst(2).allSatisfy(ICONInteger.isDigit)
    }

    private static func malformed(_ rule: String, at path: String = "data") -> ICONFieldError {
        ICONFieldError(key: "data", problem: .malformed, rule: rule, path: path)
    }
}

/// The `dataType` of a transaction.
package enum ICONDataType: String, Hashable, Sendable {
    case call
    case deploy
    case message
    case deposit
}
