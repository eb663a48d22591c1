import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Synchronization

/// Attacks by the operator of the user's node: false answers.
struct NodeAttacks {
    let scene: AttackScene
    let values: Values
    let attacker: Owner
    /// The answers of honest nodes while a user did all that he wanted.
    let heard: [Wire.Heard]

    init(_ scene: AttackScene, _ attacker: Owner, _ values: Values) async throws {
        self.scene = scene
        self.attacker = attacker
        self.values = values
        let computer = scene.computer()
        computer.wire.begin([], isRecording: true)
        let visit = Visit(computer, scene, chain: nil, rounds: 2, plant: nil)
        await visit.run(try computer.open())
        guard visit.completed == scene.intents.count else {
            throw Unusable("honest nodes: \(visit.story.joined(separator: "\n"))")
        }
        heard = computer.wire.heard
    }

    var all: [Attack] { singles + always + refusals + inventions }

    private func attack(
        _ kind: String, _ what: String, _ chain: Chain, _ number: Int?, _ methods: Set<String>,
        _ answer: @escaping @Sendable () -> (@Sendable (String, JSON, Lie.Truth) -> Lie.Answer?)
    ) -> Attack {
        Attack(
            kind: kind, what: "\(chain.rawValue) \(what)", chain: chain, network: scene.network,
            rounds: 3,
            lies: {
                [Lie(chain: chain, number: number, methods: methods, answer: answer())]
            },
            alter: { _, _ in nil })
    }

    // MARK: - One field of one answer, or of each such answer

    private var singles: [Attack] {
        heard.flatMap { call in
            altered(call).map { altered in
                let body = altered.value.json
                return attack(
                    "node: one answer", "call \(call.number) \(call.method) \(altered.place) "
                        + altered.what, call.chain, call.number, []
                ) { { _, call, _ in (200, body.answering(call)) } }
            }
        }
    }

    private func altered(_ call: Wire.Heard) -> [Tree.Altered] {
        guard let result = call.body["result"] else { return [] }
        let tree = Tree(result)
        return tree.altered { values.instead(of: $1, at: "\(call.method).\($0)", $2) }
            .map { altered in
                let body = JSON.record(["result": altered.value.json])
                return Tree.Altered(place: altered.place, what: altered.what, value: Tree(body))
            }
    }

    /// The first answer of each kind tells which fields there are; all of them are altered alike.
    private var always: [Attack] {
        var seen: Set<String> = []
        return heard.flatMap { call -> [Attack] in
            guard let result = call.body["result"] else { return [] }
            let selector = call.params["data"]?["method"]?.stringValue ?? ""
            let to = call.params["to"]?.stringValue ?? ""
            return Tree(result).leaves().flatMap { place, leaf -> [Attack] in
                let name = "\(call.method) \(to) \(selector) \(place)"
                guard seen.insert("\(call.chain.rawValue) \(name)").inserted else { return [] }
                return values.instead(of: leaf, at: "\(call.method).\(place)", nil).map { other in
                    attack(
                        "node: each answer", "\(name) \(other.json.text().prefix(100))",
                        call.chain, nil, [call.method]
                    ) {
                        { _, call, truth in
                            guard let answer = truth(), let result = answer.body["result"],
                                selector == (call["params"]?["data"]?["method"]?.stringValue ?? ""),
                                to == (call["params"]?["to"]?.stringValue ?? "")
                            else { return truth() }
                            let lied = Tree(result).replacing(place, by: other)
                            return (200, JSON.record(["result": lied.json]).answering(call))
                        }
                    }
                }
            }
        }
    }

    // MARK: - What becomes of a payment

    private static let sending: [Chain: String] = [
        .dash: "sendrawtransaction", .axe: "sendrawtransaction", .icon: "icx_sendTransaction",
    ]

    private static let codes: [(Int, String)] = [
        (-1, "error"), (-3, "Invalid type"), (-5, "not found"), (-8, "Invalid parameter"),
        (-22, "TX decode failed"), (-25, "Missing inputs"), (-25, "bad-txns-inputs-missingorspent"),
        (-26, "66: insufficient priority"), (-26, "txn-mempool-conflict"), (-26, "dust"),
        (-26, "tx-txlock-conflict"), (-26, "min relay fee not met"),
        (-26, "256: absurdly-high-fee"),
        (-26, "64: non-final"), (-26, "16: bad-txns-inputs-spent"),
        (-27, "transaction already in block chain"), (-28, "Loading block index"),
        (-32600, "InvalidRequest"), (-32601, "MethodNotFound"), (-32602, "InvalidParams"),
        (-32603, "InternalError"), (-32700, "ParseError"), (-31000, "SystemError"),
        (-31001, "TransactionPoolOverflow"), (-31002, "Pending"), (-31003, "Executing"),
        (-31004, "NotFound"), (-31005, "LackOfResource"), (-31006, "Timeout"),
        (-31007, "SystemTimeout"), (-30000, "E0"), (-31000, "SystemError: E2002:Expired(min-1s)"),
        (-31000, "SystemError: E2003:FutureTx(max+1s)"),
        (-31000, "SystemError: E2106:OutOfBalance(balance:0, value:1)"),
        (-31000, "SystemError: E2005:Failed to verify transaction"),
        (-31000, "SystemError: E2000:DuplicateTransaction"),
    ]

    /// The node keeps the transaction, or drops it, and says otherwise; then it may hide it.
    private var refusals: [Attack] {
        Chain.allCases.flatMap { chain -> [Attack] in
            let method = Self.sending[chain] ?? ""
            let refused: [Attack] = Self.codes.flatMap { code, message in
                [true, false].flatMap { keeps in
                    [true, false].map { hides in
                        refusal(chain, method, code, message, keeps: keeps, hides: hides)
                    }
                }
            }
            let unanswered: [Attack] = [true, false].flatMap { keeps in
                [
                    attack(
                        "node: refusals", keeps ? "keeps it, no answer" : "drops it, no answer",
                        chain, nil, [method]
                    ) { { _, _, truth in if keeps { _ = truth() }; return nil } },
                    attack(
                        "node: refusals", keeps ? "keeps it, garbage" : "drops it, garbage",
                        chain, nil, [method]
                    ) { { _, _, truth in if keeps { _ = truth() }; return (200, .null) } },
                ]
            }
            let denied = attack(
                "node: refusals", "drops it and says that it has it", chain, nil, [method]
            ) {
                { _, call, _ in
                    let bytes = call["params"]?.arrayValue?.first?.stringValue ?? ""
                    let txid = Hex.decode(bytes).map { TransactionID(hashing: $0).hex } ?? ""
                    return Lie.result(.string(txid), to: call, on: chain)
                }
            }
            return refused + unanswered + [denied]
        }
    }

    private func refusal(
        _ chain: Chain, _ method: String, _ code: Int, _ message: String, keeps: Bool, hides: Bool
    ) -> Attack {
        let what = "\(code) \(message): \(keeps ? "keeps" : "drops") it\(hides ? ", hides it" : "")"
        return attack("node: refusals", what, chain, nil, []) {
            let isHidden = Mutex(false)
            return { asked, call, truth in
                if asked == method {
                    if keeps { _ = truth() }
                    isHidden.withLock { $0 = hides }
                    return Lie.error(code, message, to: call, on: chain)
                }
                let isHiding = isHidden.withLock { $0 }
                if isHiding { return Self.hidden(asked, call, chain) ?? truth() }
                return truth()
            }
        }
    }

    /// The answer of a node that hides a transaction which it has.
    private static func hidden(_ method: String, _ call: JSON, _ chain: Chain) -> Lie.Answer? {
        switch method {
        case "getaddressmempool": Lie.result(.array([]), to: call, on: chain)
        case "icx_getTransactionResult":
            Lie.error(-31004, "NotFound: E1005:Not found", to: call, on: chain)
        default: nil
        }
    }

    // MARK: - Things that never happened

    /// An unsigned spend of a refused payment's coin, and transactions that were not asked for.
    private var inventions: [Attack] {
        [Chain.dash, .axe].flatMap { chain -> [Attack] in
            var attacks: [Attack] = []
            for isMined in [true, false] {
                for signs in [Signing.none, .garbage, .copied] {
                    attacks.append(invention(chain, isMined: isMined, signs))
                }
            }
            for (name, change) in Self.transactionChanges(attacker, chain) {
                attacks.append(
                    attack("node: inventions", name, chain, nil, ["getrawtransaction"]) {
                        { _, call, truth in
                            guard let answer = truth(), let result = answer.body["result"] else {
                                return truth()
                            }
                            let lied = Self.changing(result, change)
                            return Lie.result(lied, to: call, on: chain)
                        }
                    })
            }
            attacks.append(
                attack("node: inventions", "no transaction", chain, nil, ["getrawtransaction"]) {
                    { _, call, _ in
                        Lie.error(
                            -5, "No such mempool or blockchain transaction.", to: call, on: chain)
                    }
                })
            return attacks
        }
    }

    private enum Signing: String {
        case none = "unsigned"
        case garbage = "signed by nobody"
        case copied = "with signatures of the true one"
    }

    private func invention(_ chain: Chain, isMined: Bool, _ signs: Signing) -> Attack {
        let theirs = attacker.scripts[chain]?.keys.sorted(by: ByteOrder.precedes).first ?? []
        let what = "keeps it, -26, and invents a spend of its coin, \(signs.rawValue), "
            + (isMined ? "in a block" : "in its mempool")
        return attack("node: inventions", what, chain, nil, []) {
            let spend = Mutex<UTXOTransaction?>(nil)
            return { method, call, truth in
                if method == "sendrawtransaction" {
                    let text = call["params"]?.arrayValue?.first?.stringValue ?? ""
                    let bytes = Hex.decode(text) ?? []
                    let isFirst = spend.withLock { $0 == nil }
                    guard isFirst, var made = try? UTXOTransaction.parse(bytes) else {
                        return truth()
                    }
                    _ = truth()
                    made.outputs = [.init(amount: 50_000, script: theirs)]
                    for index in made.inputs.indices {
                        switch signs {
                        case .none: made.inputs[index].script = []
                        case .garbage:
                            made.inputs[index].script = Script.pushing(
                                [Bytes(repeating: 0x30, count: 71), Bytes(repeating: 2, count: 33)])
                        case .copied: break
                        }
                    }
                    spend.withLock { [made] in $0 = made }
                    return Lie.error(-26, "66: insufficient priority", to: call, on: chain)
                }
                guard let made = spend.withLock({ $0 }) else { return truth() }
                return Self.pretending(made, isMined, method, call, truth, chain)
            }
        }
    }

    private static func pretending(
        _ made: UTXOTransaction, _ isMined: Bool, _ method: String, _ call: JSON,
        _ truth: Lie.Truth, _ chain: Chain
    ) -> Lie.Answer? {
        let txid = JSON.string(made.txid.hex)
        let height = call["params"]?.arrayValue?.first?["end"]?.intValue ?? 10
        switch method {
        case "getaddressdeltas" where isMined:
            return Lie.result(
                .array([.record(["txid": txid, "height": .int(height)])]), to: call, on: chain)
        case "getaddressmempool":
            return Lie.result(
                .array(isMined ? [] : [.record(["txid": txid])]), to: call, on: chain)
        case "getrawtransaction" where call["params"]?.arrayValue?.first == txid:
            var members: KeyValuePairs<String, JSON?> = [
                "hex": .string(Hex.encode(made.serialized())), "txid": txid,
            ]
            if isMined {
                members = [
                    "hex": .string(Hex.encode(made.serialized())), "txid": txid,
                    "height": .int(height), "confirmations": .int(1),
                    "blockhash": .string(String(repeating: "ab", count: 32)),
                    "instantlock": .bool(true), "chainlock": .bool(true),
                ]
            }
            return Lie.result(.record(members), to: call, on: chain)
        default: return truth()
        }
    }

    private static func transactionChanges(
        _ attacker: Owner, _ chain: Chain
    ) -> [(String, @Sendable (inout UTXOTransaction) -> Void)] {
        let theirs = attacker.scripts[chain]?.keys.sorted(by: ByteOrder.precedes).first ?? []
        return [
            ("each transaction pays ten times as much", { transaction in
                for index in transaction.outputs.indices { transaction.outputs[index].amount *= 10 }
            }),
            ("each transaction pays a tenth", { transaction in
                for index in transaction.outputs.indices { transaction.outputs[index].amount /= 10 }
            }),
            ("each transaction pays the attacker", { transaction in
                for index in transaction.outputs.indices {
                    transaction.outputs[index].script = theirs
                }
            }),
            ("each transaction's outputs are reversed", { $0.outputs.reverse() }),
            ("each transaction has no outputs", { $0.outputs = [] }),
        ]
    }

    private static func changing(
        _ result: JSON, _ change: (inout UTXOTransaction) -> Void
    ) -> JSON {
        let text = result.stringValue ?? result["hex"]?.stringValue ?? ""
        guard let bytes = Hex.decode(text), var transaction = try? UTXOTransaction.parse(bytes)
        else { return result }
        change(&transaction)
        let hex = JSON.string(Hex.encode(transaction.serialized()))
        guard let members = result.objectValue else { return hex }
        return .object(
            members.map { .init(name: $0.name, value: $0.name == "hex" ? hex : $0.value) })
    }
}

extension JSON {
    /// The envelope of an answer with what this says.
    fileprivate func answering(_ call: JSON) -> JSON {
        let members = (objectValue ?? []).filter { $0.name != "id" }
        let version = call["jsonrpc"].map { [Member(name: "jsonrpc", value: $0)] } ?? []
        let error = version.isEmpty ? [Member(name: "error", value: .null)] : []
        let id = Member(name: "id", value: call["id"] ?? .null)
        return .object(version + members + error + [id])
    }
}

extension Tree {
    /// The same with another value in every place of this name.
    func replacing(_ place: String, by value: Tree) -> Tree {
        if place.isEmpty { return value }
        switch self {
        case .leaf: return self
        case .list(let items):
            guard place.hasPrefix("[]") else { return self }
            let rest = place.dropFirst(2)
            let inner = String(rest.hasPrefix(".") ? rest.dropFirst() : rest)
            return .list(items.map { $0.replacing(inner, by: value) })
        case .fields(let fields):
            return .fields(
                fields.map { field in
                    guard place == field.name || place.hasPrefix(field.name + ".")
                        || place.hasPrefix(field.name + "[")
                    else { return field }
                    let rest = place.dropFirst(field.name.count)
                    let inner = String(rest.hasPrefix(".") ? rest.dropFirst() : rest)
                    return (field.name, field.value.replacing(inner, by: value))
                })
        }
    }
}
