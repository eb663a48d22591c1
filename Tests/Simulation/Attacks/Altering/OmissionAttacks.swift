import DaybookChains
import DaybookEncoding
import TestSupport

/// Attacks by the operator of a node who leaves out of an answer what his chain has.
///
/// Each is one call of a recorded visit, the answer to which lacks something: once, or each time
/// from then on; by the only node, by one of two, or by both.
struct OmissionAttacks {
    private let scene: AttackScene
    /// The answers of honest nodes while a user did all that he wanted, and was paid.
    private let heard: [Wire.Heard]

    init(_ scene: AttackScene) async throws {
        self.scene = scene
        let computer = scene.computer()
        computer.wire.begin([], isRecording: true)
        let visit = Visit(computer, scene, chain: nil, rounds: Self.rounds, plant: nil)
        visit.isPaid = true
        await visit.run(try computer.open())
        heard = computer.wire.heard
    }

    static let kind = "node: omissions"
    private static let rounds = 3

    /// Each omission alone, and with one and two others of the same chain.
    var all: [Attack] {
        let single = heard.flatMap { call in
            Lack.allCases.filter { $0.methods.contains(call.method) }.flatMap { lack in
                [false, true].map { Omission(call: call, lack: lack, lasts: $0) }
            }
        }
        let byChain = Dictionary(grouping: single, by: \.call.chain)
        var random = Seeded(1)
        return (0..<3).flatMap { more in
            single.flatMap { first in
                let others = (0..<more).compactMap { _ in
                    byChain[first.call.chain]?.randomElement(using: &random)
                }
                return Liars.allCases.map { attack([first] + others, $0) }
            }
        }
    }

    /// A gap in one call's answer, or in that of each such call from then on.
    private struct Omission {
        let call: Wire.Heard
        let lack: Lack
        let lasts: Bool

        var text: String {
            "call \(call.number) \(call.method) \(lack.rawValue), "
                + (lasts ? "from then on" : "once")
        }

        func lie() -> Lie {
            let (chain, lack) = (call.chain, lack)
            var lie = Lie(
                chain: chain, number: call.number, methods: [call.method]
            ) { _, asked, truth in lack.answer(to: asked, truth(), on: chain) }
            lie.lasts = lasts
            return lie
        }
    }

    /// The side that leaves something out.
    private enum Liars: String, CaseIterable {
        case theOnlyNode = "the only node"
        case theFirst = "the first of two nodes"
        case theSecond = "the second of two nodes"
        case both = "both nodes"
    }

    private func attack(_ omissions: [Omission], _ liars: Liars) -> Attack {
        let chain = omissions[0].call.chain
        var attack = Attack(
            kind: Self.kind,
            what: "\(chain.rawValue) \(omissions.map(\.text).joined(separator: ", and "))"
                + ", by \(liars.rawValue)",
            chain: chain, network: scene.network, rounds: Self.rounds,
            lies: { omissions.map { $0.lie() } }, alter: { _, _ in nil })
        attack.isOmission = true
        attack.nodes = liars == .theOnlyNode ? 1 : 2
        attack.liars = switch liars {
        case .theOnlyNode, .theFirst: [0]
        case .theSecond: [1]
        case .both: [0, 1]
        }
        return attack
    }

    // MARK: - What an answer lacks

    /// The kind of part that an answer lacks.
    private enum Lack: String, CaseIterable {
        case everything = "without anything"
        case last = "without its last entry"
        case first = "without its first entry"
        case highest = "without its highest block"
        case notFound = "as if it had none"
        case nothing = "as nothing"
        case failure = "as an error"

        private static let lists: Set = ["getaddressdeltas", "getaddressmempool"]

        var methods: Set<String> {
            switch self {
            case .everything, .last, .first: Self.lists
            case .highest: ["getaddressdeltas"]
            case .notFound:
                [
                    "getrawtransaction", "getblockhash", "icx_getTransactionResult",
                    "icx_getBlockByHeight", "sendrawtransaction",
                ]
            case .nothing: ["icx_getBalance", "icx_call"]
            case .failure: Self.lists.union(["icx_call", "estimatesmartfee", "icx_getBalance"])
            }
        }

        func answer(to call: JSON, _ truth: Lie.Answer?, on chain: Chain) -> Lie.Answer? {
            let entries = truth?.body["result"]?.arrayValue ?? []
            switch self {
            case .everything: return Lie.result(.array([]), to: call, on: chain)
            case .last: return Lie.result(.array(entries.dropLast()), to: call, on: chain)
            case .first: return Lie.result(.array(Array(entries.dropFirst())), to: call, on: chain)
            case .highest:
                let top = entries.compactMap { $0["height"]?.intValue }.max()
                let rest = entries.filter { $0["height"]?.intValue != top }
                return Lie.result(.array(rest), to: call, on: chain)
            case .notFound:
                return chain == .icon
                    ? Lie.error(-31004, "NotFound: E1005:Not found", to: call, on: chain)
                    : Lie.error(
                        call["method"]?.stringValue == "getblockhash" ? -8 : -5,
                        "No such mempool or blockchain transaction.", to: call, on: chain)
            case .nothing: return Lie.result(.string("0x0"), to: call, on: chain)
            case .failure:
                return chain == .icon
                    ? Lie.error(-30003, "SCOREError(-30003)", to: call, on: chain)
                    : Lie.error(-1, "error", to: call, on: chain)
            }
        }
    }
}
