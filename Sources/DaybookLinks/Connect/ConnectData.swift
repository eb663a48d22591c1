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
