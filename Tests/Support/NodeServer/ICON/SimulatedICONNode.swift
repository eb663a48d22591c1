import DaybookChains
import DaybookEncoding
import DaybookNodes

/// An ICON node on the sandbox network.
struct SimulatedICONNode: ServedNode {
    private var rows = MemoryRows()

    /// The network.
    var sandbox: ICONSandbox {
        get { ICONSandbox(rows) }
        _modify {
            var sandbox = ICONSandbox(rows)
            // A second reference would make every write copy.
            rows = MemoryRows()
            defer { if let changed = sandbox.rows as? MemoryRows { rows = changed } }
            yield &sandbox
        }
    }

    mutating func answer(_ call: ReceivedCall, _ settings: NodeServer.Settings) throws -> JSON {
        if sandbox.switches.isSilent { throw Silence() }
        let params = ICONParams(call.params)
        switch call.method {
        case "icx_getNetworkInfo": return networkInfo(settings)
        case "icx_getTotalSupply": return .string(ICONInteger.text(ICONSandbox.supply))
        case "icx_getLastBlock": return try block(at: sandbox.tip.height, settings)
        case "icx_getBlockByHeight":
            try params.check(["height": .integer])
            let height = params["height"].flatMap { ICONInteger.parseSmall($0) }
            return try block(at: height ?? .max, settings)
        case "icx_getBalance":
            try params.check(["address": .address])
            let holder = params["address"].flatMap { ICONAddress($0) }
            return .string(ICONInteger.text(holder.map { sandbox.balance(of: $0) } ?? .zero))
        case "icx_call":
            try params.check(
                ["from": .address, "to": .contract, "dataType": .call, "data": .anything],
                optional: ["from", "data"])
            return try ask(params)
        case "icx_sendTransaction": return try send(call.params, settings)
        case "icx_getTransactionResult":
            return try result(of: try params.hash())
        case "icx_getTransactionByHash":
            return try transaction(try params.hash())
        case "debug_estimateStep" where call.path == "/api/v3d":
            guard let given = call.params else { throw ICONParams.missing }
            do {
                return .string(ICONInteger.text(try sandbox.estimateSteps(given)))
            } catch let refusal {
                throw NodeRefusal(refusal)
            }
        default: throw NodeRefusal(-32601, "MethodNotFound")
        }
    }

    private mutating func send(
        _ params: JSON?, _ settings: NodeServer.Settings
    ) throws -> JSON {
        guard let params else { throw ICONParams.missing }
        switch sandbox.submit(params, at: settings.now) {
        case .accepted(let hash): return .string(Self.text(hash))
        case .refused(let refusal): throw NodeRefusal(refusal)
        case .nothing: throw Silence()
        }
    }

    private func networkInfo(_ settings: NodeServer.Settings) -> JSON {
        .record([
            "platform": .string("icon"), "nid": .string(ICONInteger.text(settings.nid)),
            "channel": .string("default"), "earliest": .string("0x0"),
            "latest": .string(ICONInteger.text(sandbox.tip.height)),
            "stepPrice": .string(ICONInteger.text(ICONSandbox.fees.price)),
        ])
    }

    // MARK: - Contracts

    private func ask(_ params: ICONParams) throws -> JSON {
        guard let contract = params["to"].flatMap({ ICONAddress($0) }) else {
            throw NodeRefusal(-32602, "InvalidParams: fail to validate, t_addr_score('to')")
        }
        let data = params.value("data") ?? .null
        if contract == ICONAddress.system {
            switch data["method"]?.stringValue {
            case "getStepPrice": return .string(ICONInteger.text(ICONSandbox.fees.price))
            case "getStepCosts": return Self.stepCosts
            case "getMaxStepLimit":
                let isInvoke = data["params"]?["contextType"]?.stringValue == "invoke"
                return .string(
                    ICONInteger.text(isInvoke ? ICONSandbox.maximumSteps : 50_000_000))
            default: throw NodeRefusal(-30003, "SCOREError(-30003): E0003:MethodNotFound")
            }
        }
        do {
            return try sandbox.call(contract, data)
        } catch let refusal {
            throw NodeRefusal(refusal)
        }
    }

    private static let stepCosts = JSON.record([
        "apiCall": .string("0x2710"),
        "contractCall": .string(ICONInteger.text(ICONSandbox.fees.steps.contractCall)),
        "contractCreate": .string("0x3b9aca00"), "contractSet": .string("0x3a98"),
        "contractUpdate": .string("0x3b9aca00"),
        "default": .string(ICONInteger.text(ICONSandbox.fees.steps.transfer)),
        "delete": .string("-0xf0"), "deleteBase": .string("0xc8"), "get": .string("0x19"),
        "getBase": .string("0xbb8"),
        "input": .string(ICONInteger.text(ICONSandbox.fees.steps.inputByte)),
        "log": .string("0x64"), "logBase": .string("0x1388"), "schema": .string("0x1"),
        "set": .string("0x140"), "setBase": .string("0x2710"),
    ])

    static func text(_ bytes: Bytes) -> String { "0x" + Hex.encode(bytes) }
}

// MARK: - Blocks and transactions

extension SimulatedICONNode {
    private func block(at height: UInt64, _ settings: NodeServer.Settings) throws -> JSON {
        guard let tip = sandbox.tip(at: height) else {
            throw NodeRefusal(-31004, "NotFound: E1005:fail to get a block height=\(height)")
        }
        let hash = height == 0 ? settings.genesis : nil
        let previous = height > 0 ? sandbox.tip(at: height - 1) : nil
        let transactions = sandbox.transactions(inBlockAt: height).compactMap { hash in
            sandbox.params(of: hash).map { params in
                JSON.object(
                    (params.objectValue ?? []) + [
                        JSON.Member(name: "txHash", value: .string(Self.text(hash)))
                    ])
            }
        }
        return .record([
            "block_hash": .string(hash ?? Hex.encode(tip.hash)),
            "confirmed_transaction_list": .array(transactions), "height": .int(height),
            "merkle_tree_root_hash": .string(""),
            "peer_id": .string(height == 0 ? "" : ICONSandbox.faucet.text),
            "prev_block_hash": .string(previous.map { Hex.encode($0.hash) } ?? ""),
            "signature": .string(""), "time_stamp": .int(tip.time), "version": .string("2.0"),
        ])
    }

    private func result(of hash: Bytes) throws -> JSON {
        let result = sandbox.result(of: hash)
        guard case .executed(let receipt) = result else {
            throw NodeRefusal(result.refusal(for: hash) ?? .pending)
        }
        let block = sandbox.transactions(inBlockAt: receipt.height)
        let index = block.firstIndex(of: hash) ?? 0
        let cumulative = block[...index].reduce(UInt256.zero) { sum, hash in
            guard case .executed(let other) = sandbox.result(of: hash) else { return sum }
            return sum.adding(other.stepUsed) ?? sum
        }
        return .record([
            "blockHash": .string(Self.text(sandbox.tip(at: receipt.height)?.hash ?? [])),
            "blockHeight": .string(ICONInteger.text(receipt.height)),
            "cumulativeStepUsed": .string(ICONInteger.text(cumulative)),
            "eventLogs": .array(receipt.logs.map { Self.described($0) }),
            "failure": receipt.failure.map { failure in
                .record([
                    "code": .string(ICONInteger.text(failure.code)),
                    "message": .string(failure.message),
                ])
            },
            "logsBloom": .string("0x" + String(repeating: "0", count: 512)),
            "status": .string(receipt.failure == nil ? "0x1" : "0x0"),
            "stepPrice": .string(ICONInteger.text(receipt.stepPrice)),
            "stepUsed": .string(ICONInteger.text(receipt.stepUsed)),
            "to": sandbox.params(of: hash)?["to"], "txHash": .string(Self.text(hash)),
            "txIndex": .string(ICONInteger.text(UInt64(index))),
        ])
    }

    /// The transfer, which is all that the sandbox's token reports, has three indexed arguments.
    private static func described(_ log: ICONEventLog) -> JSON {
        let arguments = log.arguments.map { $0.map { JSON.string($0) } ?? .null }
        return .record([
            "scoreAddress": .string(log.contract.text),
            "indexed": .array([.string(log.signature)] + arguments.prefix(3)),
            "data": .array(Array(arguments.dropFirst(3))),
        ])
    }

    /// The node finds a transaction by its hash only once it is in a block.
    private func transaction(_ hash: Bytes) throws -> JSON {
        guard case .executed(let receipt) = sandbox.result(of: hash),
            let params = sandbox.params(of: hash)?.objectValue
        else { throw NodeRefusal(.unknownTransaction(hash)) }
        let index = sandbox.transactions(inBlockAt: receipt.height).firstIndex(of: hash) ?? 0
        let place = JSON.record([
            "blockHash": .string(Self.text(sandbox.tip(at: receipt.height)?.hash ?? [])),
            "blockHeight": .string(ICONInteger.text(receipt.height)),
            "txHash": .string(Self.text(hash)),
            "txIndex": .string(ICONInteger.text(UInt64(index))),
        ])
        let members = params + (place.objectValue ?? [])
        return .object(members.sorted { $0.name < $1.name })
    }
}
