import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import Testing

@testable import Daybook

/// Goes through a log event by event and checks what must hold after each of them.
struct LogAudit {
    private(set) var state = State()
    private(set) var types: [String: Int] = [:]
    private(set) var problems: [String] = []
    private var callbacks: [RequestID: Int] = [:]
    private var approvals: [RequestID: UInt64] = [:]
    private var prepared: [RequestID: UInt64] = [:]

    /// Everything that is wrong with a log.
    static func problems(of records: [EventRecord]) throws -> [String] {
        var audit = LogAudit()
        for record in records { try audit.take(record) }
        return audit.problems
    }

    mutating func take(_ record: EventRecord) throws {
        guard let event = try record.event() else {
            return problems.append("\(record.position): unknown type \(record.type)")
        }
        types[record.type, default: 0] += 1
        let before = event.request.flatMap { state.request($0) }
        look(at: event, record, before)
        state.evolve(event)
        if let damage = state.damage { problems.append("\(record.position): \(damage)") }
        // A payment that was given up can still be mined.
        let isExecuted = before?.status.isGivenUp == true && record.type == "transaction.confirmed"
        if let id = event.request, let before, before.status.isTerminal, !isExecuted,
            state.request(id)?.status != before.status
        {
            problems.append("\(record.position): request \(id) ended twice")
        }
        checkBalances(record)
    }

    private mutating func look(at event: Event, _ record: EventRecord, _ row: RequestRow?) {
        guard let id = event.request else { return }
        switch event.payload {
        case .callbackEmitted:
            callbacks[id, default: 0] += 1
            if callbacks[id] != 1 { problems.append("\(record.position): a second callback") }
        case .decisionMade(let data):
            guard data.decision == .approve, let row, let request = row.request,
                row.status == .pending
            else { return }
            let prompt = state.prompt(
                for: request, id: id, wallet: data.wallet, amount: data.amount,
                coins: data.coins, repeats: row.repeats)
            let isInTime = row.expires.map { event.time < $0 } ?? false
            approvals[id] = prompt.digest == data.prompt && isInTime ? record.position : nil
        case .transactionPrepared, .bindingGranted:
            if record.cause == nil || approvals[id] != record.cause {
                problems.append("\(record.position): not what was approved")
            }
            prepared[id] = record.position
        case .signatureMade:
            if prepared[id] == nil || row?.status != .approved {
                problems.append("\(record.position): a signature without an approval")
            }
        default: break
        }
    }

    /// A chain's wallets hold the amounts that came from the world less those that went there.
    private mutating func checkBalances(_ record: EventRecord) {
        guard record.type.hasPrefix("chain") || record.type.hasPrefix("payment")
            || record.type.hasPrefix("transaction")
        else { return }
        var sums: [String: (key: AssetKey, sum: UInt256)] = [:]
        for (id, wallet) in state.wallets() {
            let (chain, network) = (wallet.wallet.chain, wallet.wallet.network)
            for (key, row) in state.balances.rows(.first(id)) {
                let world = AssetKey(chain, network, key.text)
                let total = row.confirmed.adding(row.unconfirmed) ?? .max
                let name = "\(chain)/\(network)/\(key.text)"
                sums[name] = (world, sums[name, default: (world, .zero)].sum.adding(total) ?? .max)
                let free = total.subtracting(row.reserved)
                if free.map({ row.available > $0 }) ?? true {
                    problems.append("\(record.position): more available than there is")
                }
            }
        }
        for (name, entry) in sums {
            let world = state.externalAccounts[entry.key] ?? ExternalAccountRow()
            if world.paidOut.adding(entry.sum) != world.paidIn {
                problems.append("\(record.position): \(name) is not conserved")
            }
        }
    }
}
