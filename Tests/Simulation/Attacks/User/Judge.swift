import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookReplay
import Simulator

/// The law: money leaves only as a prompt said that was shown, once; callers get only what is the
/// owner's. It is judged by the chains and by every signature in the log, not by the store's word.
struct Judge {
    let scene: AttackScene
    let visit: Visit
    /// The position of the first event that the attacker had no hand in.
    let base: UInt64
    private(set) var findings: [String] = []
    /// Signatures that belong to transactions that were judged.
    private var judged: Set<Bytes> = []
    private var used: [String: Int] = [:]

    init(_ visit: Visit, after base: UInt64) {
        scene = visit.scene
        self.visit = visit
        self.base = base
    }

    private var computer: Computer { visit.computer }

    mutating func run() throws {
        let events = try computer.records(from: base).compactMap { try? $0.event() }
        var sent: [Bytes] = []
        var signatures: [Bytes] = []
        for event in events {
            if case .transactionSigned(let data) = event.payload { sent.append(data.bytes) }
            if case .signatureMade(let data) = event.payload { signatures += data.signatures }
        }
        sent += visit.plant?.sent ?? []
        for chain in [Chain.dash, .axe] { try judgeUTXO(chain, sent) }
        try judgeICON(sent)
        for signature in signatures where !judged.contains(signature) {
            if isAskedFor(signature) { continue }
            find("a signature of something else is in the log: \(Hex.encode(signature.prefix(8)))")
        }
        for (place, text) in visit.said { judge(text, at: place) }
    }

    private mutating func find(_ what: String) {
        if !findings.contains(what) { findings.append(what) }
    }

    // MARK: - Dash and Axe

    /// Every transaction that spends coins of the owner and is on the chain, or could come there.
    private mutating func judgeUTXO(_ chain: Chain, _ sent: [Bytes]) throws {
        let scripts = scene.owner.scripts[chain] ?? [:]
        let known = try Self.transactions(chain, scene.computer().chains)
        let parsed = sent.compactMap { try? UTXOTransaction.parse($0) }
        let now = computer.now.withLock { $0 }
        let all = computer.chains.utxo(chain) { sandbox -> [(UTXOTransaction, [UTXOOutput?])] in
            // Every node that has them may send them again.
            for transaction in parsed { _ = sandbox.submit(transaction.serialized()) }
            sandbox.mine(1, at: now)
            let onChain = sandbox.transactions(since: 0).filter { !known.contains($0.txid) }
                .map(\.transaction)
            let others = parsed.filter { sandbox.status(of: $0.txid) == .unknown }
            return (onChain + others).map { transaction in
                (transaction, transaction.inputs.map { sandbox.output($0.outpoint) })
            }
        }
        var confirmed: [String: Int] = [:]
        for (transaction, spent) in all {
            let ours = zip(transaction.inputs.indices, spent).filter { _, coin in
                coin.map { scripts[$0.script] != nil } ?? false
            }
            let isSigned = ours.allSatisfy { index, coin in
                transaction.scriptFailure(
                    input: index,
                    spending: .init(amount: coin?.amount ?? 0, script: coin?.script ?? [])) == nil
            }
            guard !ours.isEmpty, isSigned else { continue }
            for input in transaction.inputs {
                let pushes = Script.pushes(input.script) ?? []
                if let der = pushes.first.map({ Bytes($0.dropLast()) }),
                    let signature = ECDSASignature(der: der)
                {
                    judged.insert(signature.compact)
                }
            }
            let paid = ours.reduce(UInt64(0)) { $0 + ($1.1?.amount ?? 0) }
            let isOnChain = computer.chains.utxo(chain) {
                $0.status(of: transaction.txid) != .unknown
            }
            if let name = judge(transaction, paid, chain), isOnChain {
                confirmed[name, default: 0] += 1
            }
        }
        for (name, count) in confirmed where count > 1 { find("\(name): paid \(count) times") }
    }

    private static func transactions(
        _ chain: Chain, _ chains: Chains
    ) throws -> Set<TransactionID> {
        chains.utxo(chain) { Set($0.transactions(since: 0).map(\.txid)) }
    }

    /// The intent that a transaction is for; a finding where there is none.
    private mutating func judge(
        _ transaction: UTXOTransaction, _ paid: UInt64, _ chain: Chain
    ) -> String? {
        let scripts = scene.owner.scripts[chain] ?? [:]
        let foreign = transaction.outputs.filter { scripts[$0.script] == nil }
        let change = transaction.outputs.filter { scripts[$0.script] != nil }
            .reduce(UInt64(0)) { $0 &+ $1.amount }
        let loss = paid >= change ? paid - change : 0
        for approval in visit.approvals where approval.intent.chain == chain {
            guard case .payment(let script, let amount) = approval.intent.aim,
                foreign.count == 1, foreign[0].script == script, foreign[0].amount == amount
            else { continue }
            if UInt256(loss) <= (approval.fee.adding(UInt256(amount)) ?? .max) {
                return approval.intent.name
            }
        }
        let outputs = foreign.map { "\($0.amount) to \(Hex.encode($0.script))" }
        find(
            "\(chain.rawValue): \(loss) leave, to nobody that a prompt named, or for a higher fee: "
                + outputs.joined(separator: ", "))
        return nil
    }

    // MARK: - ICON

    private mutating func judgeICON(_ sent: [Bytes]) throws {
        let own = scene.owner.icon
        let known = Self.transactions(scene.computer().chains)
        let now = computer.now.withLock { $0 }
        let parsed = sent.compactMap { try? JSON.parse($0) }
        let all = computer.chains.icon { sandbox -> [JSON] in
            for params in parsed { _ = sandbox.submit(params, at: now) }
            sandbox.mine(1, at: now)
            let hashes = (0...sandbox.tip.height).flatMap {
                sandbox.transactions(inBlockAt: $0)
            }
            return hashes.filter { !known.contains($0) }.compactMap { sandbox.params(of: $0) }
        }
        var confirmed: [String: Int] = [:]
        var seen: Set<Bytes> = []
        for (params, isOnChain) in all.map({ ($0, true) }) + parsed.map({ ($0, false) }) {
            guard let transaction = try? ICONTransaction(params: params),
                let text = params["signature"]?.stringValue,
                let signature = ICONSignature(base64: text),
                signature.signer(of: transaction.hash) == own,
                seen.insert(transaction.hash).inserted
            else { continue }
            judged.insert(signature.signature.bytes)
            if let name = judge(transaction), isOnChain { confirmed[name, default: 0] += 1 }
        }
        for (name, count) in confirmed where count > 1 { find("\(name): paid \(count) times") }
    }

    private static func transactions(_ chains: Chains) -> Set<Bytes> {
        chains.icon { sandbox in
            Set((0...sandbox.tip.height).flatMap { sandbox.transactions(inBlockAt: $0) })
        }
    }

    private mutating func judge(_ transaction: ICONTransaction) -> String? {
        let most = ICONSandbox.fees.fee(ofSteps: transaction.stepLimit) ?? .max
        for approval in visit.approvals {
            switch approval.intent.aim {
            case .transaction(let wanted):
                if Self.fits(transaction, wanted), most <= approval.fee {
                    return approval.intent.name
                }
            case .signature(let wanted):
                if (try? ICONTransaction(params: wanted))?.hash == transaction.hash { return nil }
            default: continue
            }
        }
        find(
            "icon: nobody agreed to \(transaction.params.text()), which costs up to "
                + most.decimal)
        return nil
    }

    /// Whether a transaction has the parameters that were asked for, and nothing else of weight.
    private static func fits(_ transaction: ICONTransaction, _ wanted: JSON) -> Bool {
        let params = transaction.params
        for name in ["from", "to", "dataType"] where params[name] != wanted[name] { return false }
        let value = wanted["value"]?.stringValue.flatMap(ICONInteger.parse) ?? .zero
        return transaction.value == value && transaction.nid == 3
            && params["data"]?.text() == wanted["data"]?.text()
    }

    /// Whether a signature is one that a caller asked for and the user agreed to.
    private func isAskedFor(_ bytes: Bytes) -> Bool {
        guard let signature = ICONSignature(base64: Base64.encode(bytes)) else { return false }
        return visit.approvals.contains { approval in
            guard case .signature(let params) = approval.intent.aim,
                let transaction = try? ICONTransaction(params: params)
            else { return false }
            return signature.signer(of: transaction.hash) == scene.owner.icon
        }
    }

    // MARK: - What was said

    /// A text may name addresses and keys of the owner, and whom he meant to pay.
    private mutating func judge(_ text: String, at place: String) {
        for word in Self.words(in: text) where Self.isName(word) {
            let isOurs = scene.owner.names.contains(word)
            let isPayee = place == "callback" && Self.payees(scene).contains(word)
            if !isOurs, !isPayee { find("a \(place) has \(word), which is not the owner's") }
        }
    }

    private static func payees(_ scene: AttackScene) -> Set<String> {
        let links = OpenedLinks(network: scene.network, owner: scene.owner, now: 0)
        var names: Set<String> = [OpenedLinks.payee, OpenedLinks.token]
        for number: UInt8 in 1...9 {
            for chain in [Chain.dash, .axe] {
                names.insert(links.address(OpenedLinks.shop(number), chain))
            }
        }
        return names
    }

    private static func words(in text: String) -> [String] {
        let plain = Percent.decode(text)
        // ICONex answers stand in base 64.
        let codes = plain.split { !($0.isLetter || $0.isNumber || $0 == "+" || $0 == "/") }
        let inner = codes.compactMap { code -> String? in
            let padding = String(repeating: "=", count: (4 - code.utf8.count % 4) % 4)
            guard let bytes = Base64.decode(Bytes((code + padding).utf8)), bytes.count > 30 else {
                return nil
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        return ([plain] + inner).flatMap { text in
            text.split { !($0.isLetter || $0.isNumber) }.map(String.init)
        }
    }

    private static func isName(_ word: String) -> Bool {
        ICONAddress(word) != nil || UTXOAddress(word, chain: .dash) != nil
            || UTXOAddress(word, chain: .axe) != nil || ExtendedPublicKey(word) != nil
    }
}

/// Escapes of URLs.
private enum Percent {
    static func decode(_ text: String) -> String {
        var bytes = Bytes()
        var rest = Bytes(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = Hex.decode(rest.prefix(2))?.first {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
