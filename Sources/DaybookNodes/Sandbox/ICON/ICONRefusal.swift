import DaybookChains
package import DaybookEncoding

/// A node's no: a JSON-RPC error's code and text, as goloop 1.4 words it.
package struct ICONRefusal: Error, Hashable, Sendable {
    /// The JSON-RPC error's code.
    package let code: Int
    /// The JSON-RPC error's text.
    package let message: String

    /// A refusal with any code and text.
    package init(code: Int, message: String) {
        self.code = code
        self.message = message
    }

    /// A transaction that waits for its block has no result yet.
    package static let pending = ICONRefusal(code: -31002, message: "Pending: Pending")

    /// No transaction with this hash is known.
    package static func unknownTransaction(_ hash: Bytes) -> ICONRefusal {
        let text = "0x" + Hex.encode(hash)
        return ICONRefusal(code: -31004, message: "NotFound: E1005:not found tx=\(text)")
    }

    /// Params whose fields break the rules.
    static func fields(_ problems: [ICONFieldError]) -> ICONRefusal {
        ICONRefusal(code: -32602, message: "InvalidParams: " + faults(problems))
    }

    static func system(_ text: String) -> ICONRefusal {
        ICONRefusal(code: -31000, message: "SystemError: " + text)
    }

    /// A contract's failure, in the answer to a question or an estimation.
    static func contract(_ failure: ICONFailure) -> ICONRefusal {
        let code = -30000 - Int(failure.code)
        let digits = String(failure.code)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return ICONRefusal(code: code, message: "SCOREError(\(code)): E\(padded):\(failure.reason)")
    }

    /// The node reads first (one fault ends that) and then names all faults, one rule at a time.
    private static func faults(_ problems: [ICONFieldError]) -> String {
        if let first = problems.first {
            switch first.problem {
            case .unknown: return "fail to unmarshal, unknown field '\(first.key)'"
            case .notText: return "fail to unmarshal, '\(first.key)' must be \(first.rule) type"
            case .missing, .malformed: break
            }
        }
        var rules: [(name: String, places: [String])] = []
        for problem in problems {
            let place = "'\(problem.place)'"
            if let index = rules.firstIndex(where: { $0.name == problem.rule }) {
                rules[index].places.append(place)
            } else {
                rules.append((problem.rule, [place]))
            }
        }
        let texts = rules.map { "\($0.name)(\($0.places.joined(separator: ",")))" }
        return "fail to validate, " + texts.joined(separator: ",")
    }
}
