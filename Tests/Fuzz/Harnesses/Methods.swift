import Daybook
import DaybookCalls
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem
import DaybookTesting
import TestSupport

extension Harness {
    /// Calls of the table of methods at two connections: each is valid but for one value, if any.
    ///
    /// Five bytes make a call: its method; whether it begins before the last one has ended, and at
    /// which connection; and the parameter that gets another value, and which.
    static let methods = Harness("methods", longest: 400) { bytes in
        try await MethodCalls(Method.all, bytes).check()
    }

    /// A server that does not answer a call with the greatest number.
    static let lostAnswer = Harness("lost-answer", longest: 400) { bytes in
        try await MethodCalls(Method.all, bytes) { call, answer in
            call.arguments.values.contains("9007199254740991") ? nil : answer
        }.check()
    }

    /// A server that opens a wallet for any passphrase while another call opens it.
    static let openDoor = Harness("open-door", longest: 400) { bytes in
        try await MethodCalls(Method.all, bytes) { call, answer in
            guard call.isAtOnce, call.method == "unlock", answer.contains("-32004") else {
                return answer
            }
            return #"{"jsonrpc":"2.0","id":\#(call.id),"result":{"until":""}}"#
        }.check()
    }
}

/// A call that a harness makes, with its arguments as JSON.
struct MethodCall: Sendable {
    let id: Int
    let method: String
    let arguments: [String: String]
    /// Whether it began before the one before it had ended.
    let isAtOnce: Bool
    let isOnSecond: Bool

    var text: String {
        let params = arguments.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":{"
            + params.joined(separator: ",") + "}}"
    }
}

/// A store with two wallets and a request, the calls that some bytes make, and their laws.
final class MethodCalls: Sendable {
    /// An answer as a planted bug changes it; nil if it is lost.
    typealias Plant = @Sendable (_ call: MethodCall, _ answer: String) -> String?

    private static let right = TestStore.passphrase
    private static let other = "battery staple"
    private static let wrong = "a wrong passphrase"
    /// At most as many calls are in progress.
    private static let most = 8

    private let methods: [Method]
    private let bytes: Bytes
    private let plant: Plant?
    /// All that was sent, on both connections.
    private let sent = Monitor<[String]>([])
    /// Every passphrase that the wallets have had.
    private let passphrases = Monitor<Set<String>>([MethodCalls.right])

    init(_ methods: [Method], _ bytes: Bytes, plant: Plant? = nil) {
        (self.methods, self.bytes, self.plant) = (methods, bytes, plant)
    }

    func check() async throws {
        let test = try TestStore()
        try await test.addWallet(.dash, label: "my-dash")
        try await test.addWallet(.icon, label: "my-icon")
        _ = try await test.store.receive("dashwallet://request=address&sender=shop")
        let front = Front(of: test.store)
        let connections = (0..<2).map { _ in
            RPCConnection(front) { [sent] outgoing in
                switch outgoing {
                case .needed(let line), .droppable(let line):
                    let bytes = line.withBytes { bytes in bytes.indices.map { bytes[$0] } }
                    sent.change { $0.append(String(decoding: bytes, as: UTF8.self)) }
                }
                return true
            }
        }
        defer { for connection in connections { connection.close() } }
        var batch: [MethodCall] = []
        var rest = bytes[...]
        var id = 0
        while rest.count >= 5 {
            id += 1
            let next = try await call(id, Bytes(rest.prefix(5)), test.store)
            rest = rest.dropFirst(5)
            if !next.isAtOnce || batch.count == Self.most {
                try await perform(batch, connections)
                batch = []
            }
            batch.append(next)
        }
        try await perform(batch, connections)
        try await checkEnd(test.store, front)
    }

    // MARK: - Making calls

    private func call(_ id: Int, _ bytes: Bytes, _ store: Store) async throws -> MethodCall {
        // Mining and opening many wallets would take all of the time.
        let names = Self.together
        let method =
            bytes[1] & 2 == 0
            ? methods[Int(bytes[0]) % methods.count]
            : methods.first { $0.name == names[Int(bytes[0]) % names.count] } ?? methods[0]
        var arguments: [String: String] = [:]
        for (index, parameter) in method.parameters.enumerated() {
            // Parameters that are not needed are there in every other call.
            guard parameter.isRequired || Int(bytes[2]) >> (index % 8) & 1 == 1,
                let value = try await usual(parameter.name, of: method.name, bytes, store)
            else { continue }
            arguments[parameter.name] = value
        }
        if bytes[1] & 4 != 0 {
            let names = method.parameters.map(\.name) + ["log"]
            let values = OutsideNumbers.values
            arguments[names[Int(bytes[3]) % names.count]] = values[Int(bytes[4]) % values.count]
        }
        if arguments["count"] != nil, method.name == "sandbox.mine", bytes[1] & 4 == 0 {
            arguments["count"] = "2"
        }
        return MethodCall(
            id: id, method: method.name, arguments: arguments,
            isAtOnce: bytes[1] & 1 != 0, isOnSecond: bytes[1] & 8 != 0)
    }

    /// The methods that must keep their rules when they are called at once.
    private static let together = [
        "unlock", "lock", "wallet.passphrase", "wallet.remove", "request.approve", "request.open",
        "wallet.list", "wallet.add",
    ]

    /// A value that a parameter can have; nil where none is needed.
    private func usual(
        _ name: String, of method: String, _ bytes: Bytes, _ store: Store
    ) async throws -> String? {
        let choice = Int(bytes[4])
        switch name {
        case "wallet": return choice % 4 == 0 ? "\"my-icon\"" : "\"my-dash\""
        case "request": return try await Self.request(choice, store)?.description ?? "1"
        case "shown": return "\"\(try await Self.shown(choice, store))\""
        case "passphrase":
            return "\"\([Self.right, Self.other, Self.wrong, Self.right][choice % 4])\""
        case "new" where method == "wallet.passphrase":
            return "\"\(choice % 2 == 0 ? Self.other : Self.right)\""
        case "seconds": return "60"
        case "limit": return method == "unlock" ? "\"1.5\"" : "10"
        case "amount": return method == "sandbox.fund" ? "\"0.5\"" : nil
        case "chain": return method == "wallet.add" ? "\"axe\"" : "\"dash\""
        case "network": return method == "wallet.add" ? nil : "\"regtest\""
        case "url":
            if method.hasPrefix("node") { return "\"http://127.0.0.1:1\"" }
            let links = ["pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=0.5", "request=address"]
            return "\"dashwallet://\(links[choice % 2])&sender=shop\(choice % 3)\""
        case "mnemonic": return "\"\(TestStore.mnemonics[choice % 3])\""
        case "from", "at", "before", "after", "subscription": return String(choice % 40)
        case "status": return "[\"pending\"]"
        case "label": return "\"label \(choice)\""
        case "count", "accounts": return "1"
        default: return nil
        }
    }

    private static func request(_ choice: Int, _ store: Store) async throws -> RequestID? {
        let pending = try await store.pending()
        return pending.isEmpty ? nil : pending[choice % pending.count].id
    }

    private static func shown(_ choice: Int, _ store: Store) async throws -> String {
        guard let request = try await request(choice, store),
            let prompt = try? await store.prompt(for: request)
        else { return String(repeating: "0", count: 64) }
        return prompt.digest.description
    }

    // MARK: - Laws

    /// Makes calls at once, and checks their answers.
    private func perform(_ batch: [MethodCall], _ connections: [RPCConnection]) async throws {
        await withTaskGroup(of: Void.self) { group in
            for call in batch {
                group.addTask {
                    let text = WipedBytes(copying: Array(call.text.utf8))
                    await connections[call.isOnSecond ? 1 : 0].answer(text)
                }
            }
        }
        let lines = sent.change { sent in
            defer { sent = [] }
            return sent
        }
        for line in lines {
            let secret = [Self.right, Self.other, Self.wrong].first { line.contains($0) }
            try law("no answer has a passphrase", secret == nil)
        }
        let answers = try lines.map { try JSON.parse(Array($0.utf8)) }
        // A success may have given a wallet the passphrase that another call used.
        let giving = ["wallet.passphrase": "new", "wallet.add": "passphrase"]
        for call in batch {
            let isDone = answers.contains { $0["id"] == .int(call.id) && $0["result"] != nil }
            let new = giving[call.method].flatMap { call.arguments[$0] }?.dropFirst().dropLast()
            if isDone, let new { passphrases.change { _ = $0.insert(String(new)) } }
        }
        for call in batch {
            var own = zip(lines, answers).filter { $1["id"] == .int(call.id) }.map(\.0)
            if let plant { own = own.compactMap { plant(call, $0) } }
            try law("\(call.text) has one answer, not \(own.count)", own.count == 1)
            try check(try JSON.parse(Array(own[0].utf8)), to: call)
        }
    }

    private func check(_ answer: JSON, to call: MethodCall) throws {
        if answer["result"] != nil {
            guard ["unlock", "wallet.passphrase"].contains(call.method) else { return }
            let used = String(call.arguments["passphrase"]?.dropFirst().dropLast() ?? "")
            let isKnown = passphrases.change { $0.contains(used) }
            return try law("only a wallet's passphrase opens it: \(call.text)", isKnown)
        }
        let number = answer["error"]?["code"]?.intValue ?? 0
        let name = answer["error"]?["data"]?["code"]?.stringValue ?? ""
        let isKnown = number == -32602 || (-32005...(-32001)).contains(number)
        try law("\(call.text) has a documented error, not \(number)", isKnown)
        let isBug = ["", "failed", "systemError", "storeDamaged", "keyDamaged"].contains(name)
        try law("\(call.text) is no failure of the store: \(answer.text())", !isBug)
    }

    /// After all calls: what is locked stays locked, and the log follows from its inputs.
    private func checkEnd(_ store: Store, _ front: Front) async throws {
        let wallets = try await store.wallets()
        for wallet in wallets { await store.lock(wallet.id) }
        let isUnlocked = try await store.wallets().contains { $0.unlocked != nil }
        try law("lock ends unlock", !isUnlocked)
        let decider = Links.decider
        var replayer = Replayer { decider.decide($0, $1) }
        var next: Position = 0
        while let events = Optional(try await store.events(from: next)), let last = events.last {
            for event in events { replayer.feed(try EventRecord.decode(event.bytes)) }
            next = last.position.next
        }
        replayer.finish()
        try law("the log replays", replayer.divergences.isEmpty)
    }
}
