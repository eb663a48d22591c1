import DaybookChains
import DaybookEncoding
import DaybookNodes
import Foundation
import Testing
import TestSupport

/// A request that was made to a real node, and what the sandbox says to it at the same place.
struct RecordedNodeSession {
    /// A request, the node's answer and the sandbox's.
    struct Step: CustomTestStringConvertible, Sendable {
        let number: Int
        let label: String
        /// The node's answer.
        let recorded: String
        /// The sandbox's answer.
        let answered: String

        var testDescription: String { "\(number) \(label)" }
    }

    static let dash = RecordedNodeSession(.dash).steps
    static let axe = RecordedNodeSession(.axe).steps

    /// Every step that the sandbox can be asked, in the order of the recording.
    let steps: [Step]

    init(_ chain: Chain) {
        var sandbox = UTXOSandbox(MemoryRows(), UTXOParameters.of(chain, .regtest)!)
        // A node alone has no masternodes that could lock anything.
        sandbox.switches.withholdsLocks = true
        if chain == .axe { Self.mine(100, "yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf", &sandbox) }
        var steps: [Step] = []
        for (number, record) in Self.records(chain).enumerated() {
            let label = record["label"]!.stringValue!
            Self.mine(
                Self.blocksBefore(label, chain), "yic9m4mS5d2oEFjQfQ3j3ZsG1JwoXLB9SL", &sandbox)
            guard let answered = Self.ask(&sandbox, record) else { continue }
            steps.append(
                Step(
                    number: number, label: label, recorded: Self.recorded(record, chain),
                    answered: answered))
        }
        self.steps = steps
    }

    /// The blocks that were mined before a step without being recorded.
    private static func blocksBefore(_ label: String, _ chain: Chain) -> Int {
        switch (chain, label) {
        case (.axe, "SRT confirmed, outputs spent"): 1
        case (.axe, "dust 545"): 10
        default: 0
        }
    }

    /// The sandbox's answer; nil for what can't be asked: other parameters, no hexadecimal.
    private static func ask(_ sandbox: inout UTXOSandbox, _ record: JSON) -> String? {
        let parameters = record["params"]!.arrayValue!
        switch record["method"]!.stringValue! {
        case "generatetoaddress":
            guard record["error"] == nil else { return nil }
            let count = Int(parameters[0].intValue!)
            let hashes = mine(count, parameters[1].stringValue!, &sandbox)
            return "\(hashes) blocks"
        case "sendrawtransaction":
            guard parameters.count == 1, let bytes = Hex.decode(parameters[0].stringValue!)
            else { return nil }
            return text(sandbox.submit(bytes))
        default:
            guard parameters.count == 1 else { return nil }
            var copy = sandbox
            let bytes = Hex.decode(parameters[0].arrayValue![0].stringValue!)!
            return text(copy.submit(bytes))
        }
    }

    @discardableResult
    private static func mine(_ count: Int, _ address: String, _ sandbox: inout UTXOSandbox) -> Int {
        let before = sandbox.tip.height
        sandbox.mine(
            count, at: 1_795_215_235_000_000,
            to: UTXOAddress(address, chain: sandbox.parameters.chain)!.script)
        return sandbox.tip.height - before
    }

    private static func text(_ answer: UTXOAnswer) -> String {
        switch answer {
        case .accepted(let txid): "accepted \(txid.hex)"
        case .refused(let refusal): "\(refusal.code) \(refusal.message)"
        case .silence: "silence"
        }
    }

    private static func recorded(_ record: JSON, _ chain: Chain) -> String {
        if let error = record["error"] {
            return "\(error["code"]!.intValue!) \(error["message"]!.stringValue!)"
        }
        let result = record["result"]!
        if let count = result.intValue { return "\(count) blocks" }
        if let txid = result.stringValue { return "accepted \(txid)" }
        let test = result.arrayValue![0]
        let txid = test["txid"]!.stringValue!
        guard let reason = test["reject-reason"]?.stringValue else { return "accepted \(txid)" }
        return "refused for \(reason)"
    }

    private static func records(_ chain: Chain) -> [JSON] {
        try! Fixture.jsonLines("utxo/\(chain.rawValue)-session.jsonl")
    }
}
