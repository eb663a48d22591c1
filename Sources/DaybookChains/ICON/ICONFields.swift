package import DaybookEncoding

/// The fields of a transaction and the rules that a node holds them to.
package enum ICONFields {
    /// What the params are for, which decides the fields that they may and must have.
    package enum Form: Hashable, Sendable {
        /// To be signed: all but the signature.
        case unsigned
        /// To be sent.
        case signed
        /// To have its steps estimated: neither step limit nor signature, and data unchecked.
        case estimate
    }

    /// Throws the first fault of params.
    package static func check(_ params: JSON, as form: Form) throws(ICONFieldError) {
        if let first = problems(in: params, as: form).first { throw first }
    }

    /// All faults of params, in the order of the fields; what the node cannot read comes alone.
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
        Rule("version", "t_int", "jsonrpc.HexInt", required: true, ICONInteger.isCanonical),
        Rule("from", "t_addr_eoa", "jsonrpc.Address", required: true) {
            ICONAddress($0)?.kind == .account
        },
        Rule("to", "t_addr", "jsonrpc.Address", required: true) { ICONAddress($0) != nil },
        Rule("value", "t_int", "jsonrpc.HexInt", ICONInteger.isCanonical),
        Rule("stepLimit", "t_int", "jsonrpc.HexInt", required: true, ICONInteger.isCanonical),
        Rule("timestamp", "t_int", "jsonrpc.HexInt", required: true, ICONInteger.isCanonical),
        Rule("nid", "t_int", "jsonrpc.HexInt", required: true, ICONInteger.isCanonical),
        Rule("nonce", "t_int", "jsonrpc.HexInt", ICONInteger.isCanonical),
        Rule("signature", "t_sig", "string", required: true, ICONSignature.isBase64),
        Rule("dataType", "call|deploy|message|deposit", "string") {
            ICONDataType(rawValue: $0) != nil
        },
        Rule("data", "data", nil) { _ in true },
    ]
}

extension ICONFields {
    /// The rule of one field: its form, and whether it must be there.
    private struct Rule: Sendable {
        let key: String
        let name: String
        /// The node's name of the type that it reads the field as; nil takes any value.
        let type: String?
        let required: Bool
        let fits: @Sendable (String) -> Bool

        init(
            _ key: String, _ name: String, _ type: String?, required: Bool = false,
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
