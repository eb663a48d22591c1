import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The values of `data` that are valid: those that a wallet can show whole and a node accepts.
enum ConnectData {
    /// The fault of a value, in lower case and without the caller's text; nil if it is valid.
    static func fault(of data: JSON, _ type: ICONDataType) -> String? {
        switch type {
        case .message: isHex(data) ? nil : "a message is \(hex)"
        case .call: faultOfCall(data)
        case .deploy: faultOfDeployment(data)
        case .deposit: "a deposit is not supported"
        }
    }

    private static let hex = "0x and an even number of lower-case hexadecimal digits"

    private static func faultOfCall(_ data: JSON) -> String? {
        if let fault = fault(of: data, having: ["method", "params"]) { return fault }
        guard let method = data["method"]?.stringValue, !method.isEmpty, isPlain(method) else {
            return "a call names its method"
        }
        return fault(ofParameters: data["params"])
    }

    private static func faultOfDeployment(_ data: JSON) -> String? {
        if let fault = fault(of: data, having: ["contentType", "content", "params"]) {
            return fault
        }
        let type = data["contentType"]?.stringValue
        guard ["application/zip", "application/java"].contains(type) else {
            return "contentType is application/zip or application/java"
        }
        guard let content = data["content"], isHex(content) else { return "content is \(hex)" }
        return fault(ofParameters: data["params"])
    }

    private static func fault(of data: JSON, having names: [String]) -> String? {
        guard case .object(let members) = data else { return "it is no object" }
        let areKnown = members.allSatisfy { member in
            names.contains { Text.equal($0, member.name) }
        }
        return areKnown ? nil : "it has members other than \(names.joined(separator: ", "))"
    }

    private static func fault(ofParameters value: JSON?) -> String? {
        guard let value else { return nil }
        guard case .object = value else { return "params is no object: leave out what has none" }
        return fault(ofParameter: value)
    }

    /// A contract's parameters are texts, or lists and objects of texts: nodes take nothing else.
    private static func fault(ofParameter value: JSON) -> String? {
        switch value {
        case .string(let text): isPlain(text) ? nil : nul
        case .array(let values): values.lazy.compactMap(fault(ofParameter:)).first
        case .object(let members):
            members.lazy.compactMap { isPlain($0.name) ? fault(ofParameter: $0.value) : nul }.first
        case .null: "a value in params is null, which nodes refuse: leave it out"
        case .bool: "a value in params is true or false, which nodes refuse: it is 0x1 or 0x0"
        case .number: "a value in params is a number, which nodes refuse: it is a text such as 0x1"
        }
    }

    private static let nul = "a text in params has U+0000, which can't be signed"

    /// Whether a text can be signed: the serialization has no escape for U+0000.
    private static func isPlain(_ text: String) -> Bool { !text.utf8.contains(0) }

    /// T_BIN_DATA: `0x` and an even number of lower-case digits, at least two.
    private static func isHex(_ value: JSON) -> Bool {
        guard let digits = value.stringValue?.utf8, digits.starts(with: "0x".utf8) else {
            return false
        }
        return digits.count > 2 && digits.count.isMultiple(of: 2)
            && digits.dropFirst(2).allSatisfy(ICONInteger.isDigit)
    }
}
