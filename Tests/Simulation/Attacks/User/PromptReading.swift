import Daybook
import DaybookEncoding

/// A user's reading of a prompt: the lines that the link determines, the fee, and
/// whether there is a warning or a problem.
struct PromptReading: Sendable, Equatable {
    private(set) var known: [String: [String]] = [:]
    private(set) var warnings: [String] = []
    private(set) var fee: UInt256?
    private(set) var hasProblem = false

    /// The lines that a user can compare with what the link asked for.
    private static let names: Set<String> = [
        "headline", "method", "chain", "network", "nid", "wallet", "label", "from", "to", "amount",
        "minor",
        "contract", "value", "data", "dataType", "message", "timestamp", "nonce",
        "version", "account", "call", "param",
    ]

    init(_ prompt: PromptText, decimals: Int) {
        for line in prompt.lines {
            if Self.names.contains(line.name) { known[line.name, default: []].append(line.text) }
            if line.name == "warning" { warnings.append(line.text) }
            if line.name == "problem" { hasProblem = true }
            if ["fee", "highestFee"].contains(line.name) {
                fee = Self.amount(in: line.text, decimals: decimals)
            }
        }
    }

    /// Whether a user who expects `honest` agrees to this reading.
    func isAgreeable(to honest: PromptReading) -> Bool {
        guard known == honest.known, !hasProblem else { return false }
        guard warnings.allSatisfy(honest.warnings.contains) else { return false }
        guard let usual = honest.fee else { return true }
        guard let fee, let most = usual.multiplied(by: UInt256(10)) else { return false }
        return fee <= most
    }

    /// The first number of a text such as "0.0125 ICX", in minor units.
    private static func amount(in text: String, decimals: Int) -> UInt256? {
        guard let number = text.split(separator: " ").first(where: { $0.first?.isNumber == true })
        else { return nil }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return nil }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.count <= decimals else { return nil }
        let zeros = String(repeating: "0", count: decimals - fraction.count)
        let digits = (String(parts[0]) + fraction + zeros).drop { $0 == "0" }
        return UInt256(decimal: digits.isEmpty ? "0" : String(digits))
    }
}
