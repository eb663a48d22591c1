import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The `params` of an ICONex Connect request, checked in the order of its document's tables.
///
/// An unknown key is refused. Dropping it would do something else than the caller asked for;
/// keeping it would sign a value that nobody checked.
struct ConnectParameters {
    private let object: JSON
    private let names: [String]

    init(_ value: JSON?) throws(Refusal) {
        guard let value, case .object(let members) = value else {
            throw Refusal(.invalidRequest, parameter: "params")
        }
        object = value
        names = members.map(\.name)
    }

    func sendICX() throws(Refusal) -> Action {
        try requireKeys(["from", "to", "value"])
        try refuseKeys(except: ["from", "to", "value", "dataType", "data"])
        let from = try address("from", .account)
        let to = try address("to")
        return .sendICX(
            from: from, to: to, value: try number("value"),
            data: try data([.message, .call], to: to))
    }

    func sendToken() throws(Refusal) -> Action {
        let keys = ["from", "to", "value", "contractAddress"]
        try requireKeys(keys)
        try refuseKeys(except: keys)
        return .sendToken(
            from: try address("from", .account), to: try address("to"),
            value: try number("value"), contract: try address("contractAddress", .contract))
    }

    func sign() throws(Refusal) -> Action {
        try checkTransaction(
            required: [
                "version", "from", "to", "value", "stepLimit", "timestamp", "nid", "nonce",
            ],
            optional: [])
        return .sign(parameters: object)
    }

    /// The parameters of Connect's second form: those of `icx_sendTransaction`.
    func sendTransaction() throws(Refusal) -> Action {
        try checkTransaction(
            required: ["version", "from", "to", "timestamp", "nid"],
            optional: ["value", "stepLimit", "nonce"])
        return .sendTransaction(parameters: object)
    }

    private func checkTransaction(
        required: [String], optional: [String]
    ) throws(Refusal) {
        try requireKeys(required)
        try refuseKeys(except: required + optional + ["dataType", "data"])
        guard try number("version") == UInt256(3) else {
            throw Refusal(.invalidParameter, parameter: "version")
        }
        _ = try address("from", .account)
        let to = try address("to")
        for key in ["value", "stepLimit", "timestamp", "nid", "nonce"] where object[key] != nil {
            _ = try number(key)
        }
        for key in ["timestamp", "nid"] {
            guard ICONInteger.parseSmall(try text(key)) != nil else {
                throw Refusal(.invalidParameter, parameter: key)
            }
        }
        _ = try data([.message, .call, .deploy], to: to)
    }
}

extension ConnectParameters {
    private func requireKeys(_ keys: [String]) throws(Refusal) {
        for key in keys where object[key] == nil {
            throw Refusal(.missingParameter, parameter: key)
        }
        // Each of the two needs the other.
        if object["data"] != nil, object["dataType"] == nil {
            throw Refusal(.missingParameter, parameter: "dataType")
        }
        if object["dataType"] != nil, object["data"] == nil {
            throw Refusal(.missingParameter, parameter: "data")
        }
    }

    private func refuseKeys(except known: [String]) throws(Refusal) {
        for name in names where !known.contains(where: { Text.equal($0, name) }) {
            throw Refusal(.invalidParameter, parameter: "params")
        }
    }

    private func text(_ key: String) throws(Refusal) -> String {
        guard let text = object[key]?.stringValue else {
            throw Refusal(.invalidParameter, parameter: key)
        }
        return text
    }

    private func number(_ key: String) throws(Refusal) -> UInt256 {
        guard let number = ICONInteger.parse(try text(key)) else {
            throw Refusal(.invalidParameter, parameter: key)
        }
        return number
    }

    private func address(_ key: String, _ kind: ICONAddress.Kind? = nil) throws(Refusal) -> String {
        let text = try text(key)
        guard let address = ICONAddress(text), kind == nil || address.kind == kind else {
            throw Refusal(.invalidParameter, parameter: key)
        }
        // An address has one spelling.
        return text
    }

    private func data(
        _ types: [ICONDataType], to: String
    ) throws(Refusal) -> Action.CallData? {
        guard let data = object["data"] else { return nil }
        let name = try text("dataType")
        guard let type = ICONDataType(rawValue: name), types.contains(type) else {
            throw Refusal(.invalidParameter, parameter: "dataType")
        }
        // Only a contract can be called.
        guard type == .message || ICONAddress(to)?.kind == .contract else {
            throw Refusal(.invalidParameter, parameter: "to")
        }
        if let fault = ConnectData.fault(of: data, type) {
            throw Refusal(.invalidParameter, parameter: "data: \(fault)")
        }
        return Action.CallData(type: name, data: data)
    }
}
