import DaybookEncoding

/// The rules for `data`, which depend on `dataType`; without a type anything may stand there.
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
        // The node names the field by another of its names here: with a capital.
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

    /// A contract's parameters are texts, lists and objects of texts: never null or a number.
    private static func parameters(_ data: JSON) -> [ICONFieldError] {
        guard let params = data["params"] else { return [] }
        guard case .object(let members) = params else { return [malformed("data.params")] }
        return members.flatMap { parameter($0.value, at: "Data.params." + $0.name) }
    }

    private static func parameter(_ value: JSON, at place: String) -> [ICONFieldError] {
        switch value {
        case .string: []
        case .object(let members):
            members.flatMap { parameter($0.value, at: place + "." + $0.name) }
        case .array(let values):
            values.enumerated().flatMap { parameter($1, at: place + "[\($0)]") }
        case .null, .bool, .number: [malformed("data.params", at: place)]
        }
    }

    private static func isHex(_ value: JSON?) -> Bool {
        guard let text = value?.stringValue, text.utf8.count > 2, text.utf8.starts(with: "0x".utf8)
        else { return false }
        return text.utf8.dropFirst(2).allSatisfy(ICONInteger.isDigit)
    }

    private static func malformed(_ rule: String, at place: String = "data") -> ICONFieldError {
        ICONFieldError(key: "data", problem: .malformed, rule: rule, place: place)
    }
}
