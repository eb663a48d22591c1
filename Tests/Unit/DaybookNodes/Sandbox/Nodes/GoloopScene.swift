import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes
import Foundation
import NodeServer
import Testing

/// The situations of the goloop recordings: the clock, the blocks, and the recorded token.
///
/// The recorded token was deployed and ours is there from the beginning, so that what was signed
/// for the one is signed again for the other, with the key of the same account.
struct GoloopScene {
    var player: RecordingPlayer
    private let server: NodeServer

    init() throws {
        server = try NodeServer(.icon)
        server.settings.time = 0
        // The recorded node ran without --validate_tx_on_send.
        server.icon { $0.switches.takesUnpayable = true }
        player = RecordingPlayer(server)
        player.substitutions = [
            ("cx3c70e865acff1a244dbc0cb7845ea6ab2c4fcfe9", ICONSandbox.token.text)
        ]
    }

    /// The times of these are off on purpose; the others are sent at their own time.
    private static let lateBy: [String: Int64] = [
        "timestamp 10 min ago": 600_000_000, "timestamp 10 min ahead": -600_000_000,
        "timestamp in ms": 1_793_400_000_000_000, "sent again, expired": 300_214_695,
    ]

    /// Sets the clock, and mines what the recorded node had mined by itself.
    mutating func prepare(for exchange: RecordedExchange) throws {
        let params = exchange.request["params"]
        if let time = params?["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall) {
            let late = Self.lateBy[exchange.label] ?? 0
            server.settings.time = UInt64(Int64(clamping: time) + late)
        }
        let now = server.settings.now
        switch exchange.request["method"]?.stringValue {
        case "icx_sendTransaction" where exchange.status == 200:
            let isForToken = params?["to"]?.stringValue == player.substitutions[0].recorded
            if isForToken { try signAgain(exchange) }
        case "icx_sendTransactionAndWait" where exchange.status == 200:
            let signed = try #require(params)
            server.icon { sandbox in
                _ = sandbox.submit(signed, at: now)
                sandbox.mine(at: now)
            }
        case "icx_getTransactionResult" where exchange.status == 200:
            server.mine()
        case "icx_getTransactionResult" where exchange.body.contains("-31004"):
            // A transaction that waits without funds is dropped when its time is over.
            server.icon { _ = $0.mine(at: now + 300_000_000) }
        default: break
        }
    }

    /// Leaves the account with as many tokens as it had on the recorded chain: steps depend on it.
    func giveTokensAway(but rest: UInt256) throws {
        let time: UInt64 = 1_795_216_412_000_000
        let other = try #require(ICONAddress("hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"))
        let value = try #require(ICONSandbox.tokenSupply.subtracting(rest))
        let draft = ICONDraft.tokenTransfer(
            IRC2.Transfer(from: ICONSandbox.faucet, to: other, value: value),
            of: ICONSandbox.token, timestamp: time, nid: ICONSandbox.nid)
        let signed = try Self.sign(try draft.transaction(stepLimit: UInt256(1_000_000)))
        server.icon { sandbox in
            _ = sandbox.submit(signed, at: time)
            sandbox.mine(at: time)
        }
    }

    private mutating func signAgain(_ exchange: RecordedExchange) throws {
        let recorded = try #require(exchange.request["params"])
        let text = recorded.text().replacingOccurrences(
            of: player.substitutions[0].recorded, with: player.substitutions[0].own)
        let own = try ICONTransaction(params: try JSON.parse(Bytes(text.utf8)))
        let (old, new) = (recorded["signature"], try Self.sign(own)["signature"])
        player.substitutions += [
            (try #require(old?.stringValue), try #require(new?.stringValue)),
            (try ICONTransaction(params: recorded).hashText, own.hashText),
        ]
    }

    private static func sign(_ transaction: ICONTransaction) throws -> JSON {
        // The faucet's key is public knowledge.
        let digits = "592eb276d534e2c41a2d9356c0ab262dc233d87e4dd71ce705ec130a8d27ff0c"
        let secret = try #require(Hex.decode(digits))
        // A private key is not copied, and so cannot go through a macro.
        let signature = PrivateKey(SecretBytes(copying: secret))?
            .signRecoverable(digest: transaction.hash)
        return transaction.signed(by: ICONSignature(try #require(signature)))
    }
}
