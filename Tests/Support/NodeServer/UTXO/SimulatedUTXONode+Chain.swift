import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes

/// The calls about the chain and the node itself.
extension SimulatedUTXONode {
    func chainAnswer(
        _ method: String, _ arguments: UTXOParams, _ settings: NodeServer.Settings
    ) throws -> JSON {
        let tip = sandbox.tip.height
        switch method {
        case "getblockcount": return .int(tip)
        case "getbestblockhash": return .string(blockHash(at: tip, settings) ?? "")
        case "getblockhash":
            guard let hash = blockHash(at: try arguments.int(0), settings) else {
                throw NodeRefusal(-8, "Block height out of range")
            }
            return .string(hash)
        case "getblockheader": return try header(arguments, settings)
        case "getblockchaininfo": return chainInfo(settings)
        case "getnetworkinfo": return networkInfo
        case "getmempoolinfo": return mempoolInfo
        case "getrawmempool": return .array(sandbox.mempool.map { .string($0.hex) })
        case "spork": return try sporks(arguments, settings)
        case "mnsync":
            return .record([
                "AssetID": .int(1), "AssetName": .string("MASTERNODE_SYNC_BLOCKCHAIN"),
                "AssetStartTime": .int(settings.now / 1_000_000), "Attempt": .int(0),
                "IsBlockchainSynced": .bool(false), "IsSynced": .bool(false),
            ])
        case "getbestchainlock": return try chainLock(settings)
        case "estimatesmartfee": return try estimate(arguments, settings)
        default: return validate(try arguments.string(0))
        }
    }

    private func chainInfo(_ settings: NodeServer.Settings) -> JSON {
        let tip = sandbox.tip
        let seconds = tip.time > 0 ? tip.time / 1_000_000 : Self.genesisTime
        let chain = switch parameters.network {
        case .mainnet: "main"
        case .testnet: "test"
        case .regtest: "regtest"
        case .sandbox: "sandbox"
        }
        return .record([
            "chain": .string(chain), "blocks": .int(tip.height),
            "headers": .int(tip.height + (settings.isSyncing ? 1000 : 0)),
            "bestblockhash": blockHash(at: tip.height, settings).map { .string($0) },
            "difficulty": .number("4.656542373906925e-10"),
            "time": isAxe ? nil : .int(seconds), "mediantime": .int(seconds),
            "verificationprogress": .number(settings.isSyncing ? "0.5" : "1"),
            "initialblockdownload": .bool(settings.isSyncing || tip.height == 0),
            "chainwork": .string(String(repeating: "0", count: 63) + "2"),
            "size_on_disk": .int(314 + 300 * tip.height), "pruned": .bool(false),
            "softforks": isAxe ? .array([]) : .object([]),
            "bip9_softforks": isAxe ? .object([]) : nil, "warnings": .string(""),
        ])
    }

    private var networkInfo: JSON {
        .record([
            "version": .int(isAxe ? 1_060_101 : 210_101),
            "buildversion": isAxe ? nil : .string("v21.1.1"),
            "subversion": .string(isAxe ? "/Axe Core:1.6.1.1/" : "/Dash Core:21.1.1/"),
            "protocolversion": .int(isAxe ? 70_218 : 70_233), "localrelay": .bool(true),
            "timeoffset": .int(0), "networkactive": .bool(true), "connections": .int(0),
            "relayfee": .coins(1000), "incrementalfee": .coins(1000), "localaddresses": .array([]),
            "warnings": .string(""),
        ])
    }

    private var mempoolInfo: JSON {
        let pool = sandbox.mempool
        let sizes = pool.compactMap { sandbox.transaction($0)?.count }
        let locks = pool.count { sandbox.status(of: $0) == .inMempool(isLocked: true) }
        return .record([
            "loaded": isAxe ? nil : .bool(true), "size": .int(pool.count),
            "bytes": .int(sizes.reduce(0, +)), "usage": .int(sizes.reduce(0, +) * 5),
            "total_fee": isAxe
                ? nil : .coins(pool.compactMap { fee(of: $0, in: sandbox) }.reduce(0, +)),
            "maxmempool": .int(300_000_000), "mempoolminfee": .coins(1000),
            "minrelaytxfee": .coins(1000), "instantsendlocks": .int(locks),
            "unbroadcastcount": isAxe ? nil : .int(pool.count),
        ])
    }

    private func header(_ arguments: UTXOParams, _ settings: NodeServer.Settings) throws -> JSON {
        let hash = try arguments.hash(0, "hash")
        let height = try height(of: hash, settings)
        let seconds = height > 0 ? sandbox.blockTime(at: height) / 1_000_000 : Self.genesisTime
        return .record([
            "hash": .string(hash), "confirmations": .int(sandbox.tip.height - height + 1),
            "height": .int(height), "time": .int(seconds), "mediantime": .int(seconds),
            "nTx": .int(max(1, sandbox.transactions(inBlockAt: height).count)),
            "previousblockhash": blockHash(at: height - 1, settings).map { .string($0) },
            "nextblockhash": blockHash(at: height + 1, settings).map { .string($0) },
            "chainlock": .bool(settings.chainLockedHeight.map { height <= $0 } ?? false),
        ])
    }

    /// A spork is on from a time; one that is off is on from the year 2099.
    private func sporks(_ arguments: UTXOParams, _ settings: NodeServer.Settings) throws -> JSON {
        let command = try arguments.string(0)
        guard command == "show" || command == "active" else { throw NodeRefusal(-1, "spork") }
        let hasLocks = !sandbox.switches.withholdsLocks
        let hasChainLocks = settings.chainLockedHeight != nil
        var sporks = [
            ("SPORK_2_INSTANTSEND_ENABLED", hasLocks),
            ("SPORK_3_INSTANTSEND_BLOCK_FILTERING", hasLocks),
            ("SPORK_9_SUPERBLOCKS_ENABLED", false), ("SPORK_17_QUORUM_DKG_ENABLED", hasLocks),
            ("SPORK_19_CHAINLOCKS_ENABLED", hasChainLocks),
            ("SPORK_21_QUORUM_ALL_CONNECTED", false),
        ]
        sporks += isAxe
            ? [("SPORK_22_PS_MORE_PARTICIPANTS", false)]
            : [("SPORK_23_QUORUM_POSE", false), ("SPORK_24_TEST_EHF", false)]
        return .object(
            sporks.map { name, isOn in
                let value: JSON = command == "show" ? .int(isOn ? 0 : 4_070_908_800) : .bool(isOn)
                return JSON.Member(name: name, value: value)
            })
    }

    private func chainLock(_ settings: NodeServer.Settings) throws -> JSON {
        guard let height = settings.chainLockedHeight, let hash = blockHash(at: height, settings)
        else { throw NodeRefusal(-32603, "Unable to find any ChainLock") }
        return .record([
            "blockhash": .string(hash), "height": .int(height),
            "signature": .string(String(repeating: "a7", count: 96)), "known_block": .bool(true),
        ])
    }

    private func estimate(_ arguments: UTXOParams, _ settings: NodeServer.Settings) throws -> JSON {
        let target = try arguments.int(0)
        guard (1...1008).contains(target) else {
            throw NodeRefusal(-8, "Invalid conf_target, must be between 1 - 1008")
        }
        if let rate = settings.feeRate {
            return .record(["feerate": .coins(rate), "blocks": .int(max(target, 2))])
        }
        return isAxe
            ? .record([
                "errors": .array([.string("Insufficient data or no feerate found")]),
                "blocks": .int(0),
            ])
            : .record(["feerate": .coins(1000), "blocks": .int(0)])
    }

    private func validate(_ text: String) -> JSON {
        guard let address = address(text) else {
            let error = Base58Check.decode(text) == nil
                ? "Invalid address format" : "Invalid prefix for Base58-encoded address"
            return .record(["isvalid": .bool(false), "error": isAxe ? nil : .string(error)])
        }
        return .record([
            "isvalid": .bool(true), "address": .string(address.text),
            "scriptPubKey": .string(Hex.encode(address.scriptPubKey)),
            "ismine": isAxe ? .bool(false) : nil, "iswatchonly": isAxe ? .bool(false) : nil,
            "isscript": .bool(address.kind == .p2sh),
        ])
    }

    /// When the regression test network begins, in seconds since 1970.
    private static let genesisTime: UInt64 = 1_417_713_337
}
