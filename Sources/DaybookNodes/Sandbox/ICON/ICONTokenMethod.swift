import DaybookChains
import DaybookEncoding

/// The methods of the sandbox's token, and the parameters that each takes.
enum ICONTokenMethod: String {
    case name
    case symbol
    case decimals
    case totalSupply
    case balanceOf
    case transfer

    /// Parameters that were read by their types; what a method does not take stays nil.
    struct Arguments {
        var holder: ICONAddress?
        var amount: UInt256?
        var data: Bytes?
    }

    /// The parameters, or the failure that a contract's border answers with.
    func arguments(from params: JSON?) throws(ICONFailure) -> Arguments {
        var members: [JSON.Member] = []
        if let params, case .object(let given) = params { members = given }
        var arguments = Arguments()
        var matched = 0
        for name in required + optional {
            guard let value = params?[name] else {
                if optional.contains(name) { continue }
                throw .invalidParameter("MissingParam(param=\(name))")
            }
            matched += 1
            guard arguments.take(value.stringValue ?? "", as: name) else {
                throw .invalidParameter("InvalidParameter(param=\(name))")
            }
        }
        guard matched == members.count else {
            throw .invalidParameter("UnexpectedParam")
        }
        return arguments
    }

    private var required: [String] {
        switch self {
        case .name, .symbol, .decimals, .totalSupply: []
        case .balanceOf: ["_owner"]
        case .transfer: ["_to", "_value"]
        }
    }

    private var optional: [String] { self == .transfer ? ["_data"] : [] }
}

extension ICONTokenMethod.Arguments {
    fileprivate mutating func take(_ text: String, as name: String) -> Bool {
        switch name {
        case "_value":
            amount = ICONInteger.parse(text)
            return amount != nil
        case "_data":
            data = text.utf8.starts(with: "0x".utf8) ? Hex.decode(text.dropFirst(2)) : nil
            return data != nil
        default:
            holder = ICONAddress(text)
            return holder != nil
        }
    }
}
