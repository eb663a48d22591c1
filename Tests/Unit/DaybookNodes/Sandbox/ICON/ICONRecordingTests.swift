import DaybookChains
import DaybookEncoding
import DaybookNodes
import Foundation
import Testing
import TestSupport

/// Plays the recorded exchanges with a goloop node against a sandbox, in their order.
///
/// The node ran without `--validate_tx_on_send`, and so does the sandbox here.
struct ICONRecordingTests {
    /// The times of these are off on purpose; the others are sent at their own time.
    private static let lateBy: [String: Int64] = [
        "timestamp 10 min ago": 600_000_000, "timestamp 10 min ahead": -600_000_000,
        "timestamp in ms": 1_793_400_000_000_000, "sent again, expired": 300_214_695,
    ]

    @Test(arguments: [("goloop.json", 61), ("goloop-extra.json", 32)])
    func `the sandbox answers as the recorded node`(file: String, expected: Int) throws {
        var player = Player()
        for exchange in try Self.exchanges(file) {
            try player.play(exchange)
        }
        #expect(player.compared == expected)
    }

    static func exchanges(_ file: String) throws -> [JSON] {
        try #require(try Fixture.json("icon/\(file)").arrayValue)
    }

    private struct Player {
        var sandbox = ICONSandbox(MemoryRows())
        var now: UInt64 = 0
        var compared = 0

        init() {
            sandbox.switches.takesUnpayable = true
        }

        mutating func play(_ exchange: JSON) throws {
            guard let request = exchange["request"], let params = request["params"],
                let name = exchange["name"]?.stringValue, name != "data too large"
            else { return }
            let response = try #require(exchange["response"])
            switch request["method"]?.stringValue {
            case "icx_sendTransaction": try send(params, name, response)
            case "icx_sendTransactionAndWait":
                guard response["result"] != nil else { return }
                try sendAndWait(params, name, response)
            case "icx_getTransactionResult": try result(params, name, response)
            case "icx_getBalance":
                guard let address = params["address"]?.stringValue.flatMap({ ICONAddress($0) }),
                    params.objectValue?.count == 1
                else { return }
                let balance = ICONInteger.text(sandbox.balance(of: address))
                #expect(balance == response["result"]?.stringValue, Comment(rawValue: name))
                compared += 1
            case "debug_estimateStep" where !name.contains("plain endpoint"):
                estimate(params, name, response)
            default: return
            }
        }

        private mutating func send(_ params: JSON, _ name: String, _ response: JSON) throws {
            compared += 1
            let comment = Comment(rawValue: name)
            if let time = params["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall) {
                now = UInt64(Int64(time) + (ICONRecordingTests.lateBy[name] ?? 0))
            }
            let answer = sandbox.submit(params, at: now)
            guard let error = response["error"] else {
                let hash = try #require(response["result"]?.stringValue)
                #expect(answer == .accepted(try #require(Hex.decode(hash.dropFirst(2)))), comment)
                return
            }
            guard case .refused(let refusal) = answer else {
                Issue.record("accepted: \(name)")
                return
            }
            compare(refusal, with: error, comment)
        }

        private mutating func sendAndWait(
            _ params: JSON, _ name: String, _ response: JSON
        ) throws {
            let recorded = try #require(response["result"].flatMap { ICONReceipt($0) })
            let sent = JSON.record(["result": .string("0x" + Hex.encode(recorded.hash))])
            try send(params, name, sent)
            let receipts = sandbox.mine(at: now)
            #expect(receipts.contains { $0.hash == recorded.hash })
        }

        private mutating func result(_ params: JSON, _ name: String, _ response: JSON) throws {
            let text = try #require(params["txHash"]?.stringValue)
            let hash = Hex.decode(text.dropFirst(2)) ?? []
            // The node executes on its own while it is asked; the sandbox when it is told to.
            guard hash.count == 32, response["error"]?["code"]?.intValue != -31003 else { return }
            compared += 1
            let comment = Comment(rawValue: name)
            if let error = response["error"] {
                if error["code"]?.intValue == -31004 { sandbox.mine(at: now + 300_000_000) }
                let refusal = try #require(sandbox.result(of: hash).refusal(for: hash), comment)
                return compare(refusal, with: error, comment)
            }
            sandbox.mine(at: now)
            let recorded = try #require(response["result"].flatMap { ICONReceipt($0) })
            guard case .executed(let receipt) = sandbox.result(of: hash) else {
                Issue.record("not executed: \(name)")
                return
            }
            #expect(receipt.stepUsed == recorded.stepUsed, comment)
            #expect(receipt.stepPrice == recorded.stepPrice, comment)
            #expect(receipt.failure == recorded.failure, comment)
            #expect(receipt.logs == recorded.logs, comment)
        }

        private mutating func estimate(_ params: JSON, _ name: String, _ response: JSON) {
            compared += 1
            let comment = Comment(rawValue: name)
            do throws(ICONRefusal) {
                let steps = try sandbox.estimateSteps(params)
                #expect(ICONInteger.text(steps) == response["result"]?.stringValue, comment)
            } catch {
                compare(error, with: response["error"] ?? .null, comment)
            }
        }

        private func compare(_ refusal: ICONRefusal, with error: JSON, _ comment: Comment) {
            #expect(error["code"]?.intValue == Int64(refusal.code), comment)
            let recorded = error["message"]?.stringValue ?? ""
            // By how much a time is off depends on the moment; the form is tested on its own.
            for limit in ["Expired(min-", "FutureTx(max+"] {
                guard let range = recorded.range(of: limit) else { continue }
                #expect(refusal.message.hasPrefix(recorded[..<range.upperBound]), comment)
                return
            }
            #expect(refusal.message == recorded, comment)
        }
    }
}
