import DaybookEncoding

/// The params of a call to Dash or Axe, by place, with the complaints of those nodes.
struct UTXOParams {
    private let method: String
    private let values: [JSON]

    init(_ call: ReceivedCall) throws {
        method = call.method
        switch call.params {
        case nil, .null: values = []
        case .array(let given): values = given
        case .object(let members): values = try Self.places(of: members, in: call.method)
        default: throw NodeRefusal(-32600, "Params must be an array or object")
        }
        let (least, most) = Self.counts[method] ?? (0, .max)
        // The node answers with the whole help of the call, which begins with its name.
        guard values.count >= least, values.count <= most else { throw NodeRefusal(-1, method) }
    }

    subscript(place: Int) -> JSON? {
        guard values.indices.contains(place), !values[place].isNull else { return nil }
        return values[place]
    }

    func int(_ place: Int) throws -> Int {
        guard let value = self[place]?.intValue else {
            throw NodeRefusal(-1, "JSON value is not an integer as expected")
        }
        return Int(value)
    }

    func string(_ place: Int) throws -> String {
        guard let value = self[place]?.stringValue else {
            throw NodeRefusal(-1, "JSON value is not a string as expected")
        }
        return value
    }

    /// Whether a flag is set, by a boolean or a number.
    func flag(_ place: Int, otherwise: Bool = false) -> Bool {
        guard let value = self[place] else { return otherwise }
        return value.boolValue ?? value.intValue.map { $0 != 0 } ?? otherwise
    }

    /// A hash in hexadecimal digits.
    func hash(_ place: Int, _ name: String) throws -> String {
        let text = try string(place)
        guard text.utf8.count == 64 else {
            throw NodeRefusal(
                -8, "\(name) must be of length 64 (not \(text.utf8.count), for '\(text)')")
        }
        guard Hex.decode(text) != nil else {
            throw NodeRefusal(-8, "\(name) must be hexadecimal string (not '\(text)')")
        }
        return text
    }

    private static func places(of members: [JSON.Member], in method: String) throws -> [JSON] {
        let names = self.names[method] ?? []
        for member in members where !names.contains(member.name) {
            throw NodeRefusal(-8, "Unknown named parameter \(member.name)")
        }
        let values = names.map { name in members.first { $0.name == name }?.value ?? .null }
        return Array(values.prefix(1 + (values.lastIndex { !$0.isNull } ?? -1)))
    }

    private static let names = [
        "getblockhash": ["height"], "getrawtransaction": ["txid", "verbose", "blockhash"],
        "gettxout": ["txid", "n", "include_mempool"], "sendrawtransaction": ["hexstring"],
        "estimatesmartfee": ["conf_target", "estimate_mode"], "validateaddress": ["address"],
        "getaddressutxos": ["addresses"], "getaddressdeltas": ["addresses"],
        "generatetoaddress": ["nblocks", "address", "maxtries"],
    ]

    private static let counts: [String: (Int, Int)] = [
        "getblockhash": (1, 1), "getblockcount": (0, 0), "getbestblockhash": (0, 0),
        "getblockchaininfo": (0, 0), "getnetworkinfo": (0, 0), "getmempoolinfo": (0, 0),
        "getrawtransaction": (1, 3), "gettxout": (2, 3), "sendrawtransaction": (1, 4),
        "estimatesmartfee": (1, 2), "validateaddress": (1, 1), "generatetoaddress": (2, 3),
        "getaddressutxos": (1, 1), "getaddressdeltas": (1, 1), "getaddressmempool": (1, 1),
        "getaddresstxids": (1, 1), "getaddressbalance": (1, 1), "spork": (1, 2),
        "getblockheader": (1, 2), "invalidateblock": (1, 1), "reconsiderblock": (1, 1),
    ]
}

extension JSON {
    /// The nodes' name of a value's type.
    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// An amount as the nodes write it: coins with eight decimals.
    static func coins(_ duffs: UInt64) -> JSON {
        let decimals = String(duffs % 100_000_000)
        let padding = String(repeating: "0", count: 8 - decimals.count)
        return .number("\(duffs / 100_000_000).\(padding)\(decimals)")
    }
}
