import DaybookChains
package import DaybookEncoding

/// A JSON-RPC error as goloop 1.4 has it.
package struct ICONRefusal: Error, Hashable, Sendable {
    package let code: Int
    package let message: String

    package init(code: Int, message: String) {
        self.code = code
        self.message = message
    }

    /// A pending transaction has no result yet.
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

    /// A contract's failure in a query or an estimation.
    static func contract(_ failure: ICONFailure) -> ICONRefusal {
        let code = -30000 - Int(failure.code)
        let digits = String(failure.code)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return ICONRefusal(code: code, message: "SCOREError(\(code)): E\(padded):\(failure.reason)")
    }

    /// The node stops at the first field it can't read; else it names all faults, by rule.
    private static func faults(_ problems: [ICONFieldError]) -> String {
        if let first = problems.first {
            switch first.problem {
            case .unknown: return "fail to unmarshal, unknown field '\(first.key)'"
            case .notText: return "fail to unmarshal, '\(first.key)' must be \(first.rule) type"
            case .missing, .malformed: break
            }
        }
        var rules: [(name: String, paths: [String])] = []
        for problem in problems {
            let path = "'\(problem.path)'"
            if let index = rules.firstIndex(where: { $0.name == problem.rule }) {
                rules[index].paths.append(path)
            } else {
                rules.append((problem.rule, [path]))
            }
        }
        let texts = rules.map { "\($0.name)(\($0.paths.joined(separator: ",")))" }
        return "fail to validate, " + texts.joined(separator: ",")
    }
}

/// Why the execution of a transaction failed; its fee is charged anyway.
package struct ICONFailure: Error, Hashable, Sendable {
    /// The result's failure code, such as 0xa.
    package let code: UInt64
    /// The result's failure text.
    package let message: String
    /// The longer text that the node has in the answer to an estimation.
    let reason: String

    init(code: UInt64, message: String, reason: String? = nil) {
        self.code = code
        self.message = message
        self.reason = reason ?? message
    }

    static let contractNotFound = ICONFailure(
        code: 0x2, message: "ContractNotFound", reason: "NotAContractAccount")
    static let methodNotPayable = ICONFailure(code: 0x4, message: "MethodNotPayable")
    static let outOfStep = ICONFailure(code: 0xa, message: "OutOfStep")
    static let outOfBalance = ICONFailure(code: 0xb, message: "OutOfBalance")

    static func methodNotFound(_ reason: String? = nil) -> ICONFailure {
        ICONFailure(code: 0x3, message: "MethodNotFound", reason: reason)
    }

    static func invalidParameter(_ reason: String) -> ICONFailure {
        ICONFailure(code: 0x6, message: "InvalidParameter", reason: reason)
    }

    static func reverted(_ number: UInt64, _ reason: String) -> ICONFailure {
        ICONFailure(code: 0x20 + number, message: "Reverted(\(number))", reason: reason)
    }
}

/// Durations as Go prints them, for the texts of goloop's errors about timestamps.
enum GoDuration {
    /// The text for some microseconds, such as `4m58.069975s`, `214.695ms` or `3µs`.
    static func text(_ microseconds: UInt64) -> String {
        switch microseconds {
        case 0: return "0s"
        case ..<1_000: return "\(microseconds)µs"
        case ..<1_000_000: return decimal(microseconds, digits: 3) + "ms"
        default: break
        }
        let (minutes, rest) = microseconds.quotientAndRemainder(dividingBy: 60_000_000)
        let seconds = decimal(rest, digits: 6) + "s"
        guard minutes > 0 else { return seconds }
        guard minutes >= 60 else { return "\(minutes)m" + seconds }
        return "\(minutes / 60)h\(minutes % 60)m" + seconds
    }

    /// A number with a decimal point before its last digits, without zeros at the end.
    private static func decimal(_ number: UInt64, digits: Int) -> String {
        var scale: UInt64 = 1
        for _ in 0..<digits { scale *= 10 }
        let (whole, part) = number.quotientAndRemainder(dividingBy: scale)
        guard part > 0 else { return String(whole) }
        let text = String(String(part + scale).dropFirst())
        let zeros = text.reversed().prefix { $0 == "0" }.count
        return "\(whole).\(text.dropLast(zeros))"
    }
}

/// Whether a transaction's timestamp is within the window; differences are in microseconds.
enum ICONAge: Equatable {
    case fresh
    case expired(by: UInt64)
    case future(by: UInt64)

    init(of timestamp: UInt64, at now: UInt64) {
        let threshold = ICONSandbox.timestampThreshold
        let earliest = now > threshold ? now - threshold : 0
        let latest = now.addingReportingOverflow(threshold)
        if timestamp <= earliest {
            self = .expired(by: earliest - timestamp)
        } else if !latest.overflow, timestamp > latest.partialValue {
            self = .future(by: timestamp - latest.partialValue)
        } else {
            self = .fresh
        }
    }
}
