import DaybookEncoding
import Foundation
import Testing

@testable import Daybook

/// A small session in which every request form and every outcome there is comes up once.
///
/// The golden logs are made of it, so that it is laid down to the last byte.
struct ScriptedSession {
    let folder: SeededFolder

    static let dash = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
    private static let axe = "P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8"
    private static let key1 = "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
    private static let key2 = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"
    private static let token = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"

    /// Records the session.
    init() async throws {
        folder = try SeededFolder(logID: Bytes("golden log no. 1".utf8))
        try await start()
        try await walletLinks()
        try await connectLinks()
        try await lostCoins()
        try await remedies()
        try await refusals()
        try await callers()
        try await troubles()
    }

    private func start() async throws {
        let store = try folder.open()
        for chain in [ChainName.dash, .axe, .icon] { try await store.addFundedWallet(chain) }
        try await store.mine(6)
    }

    private func walletLinks() async throws {
        let store = try folder.open()
        for (name, address) in [("dash", Self.dash), ("axe", Self.axe)] {
            for text in [
                "\(name)wallet://pay=\(address)&amount=1.5&sender=myapp",
                "\(name)wallet://pay=\(address)&amount=1&IS=1&sender=myapp",
                "\(name)wallet://pay=\(address)&amount=0.5&req-IS=1&sender=shop",
                "\(name)wallet://request=masterPublicKey&account=0&sender=dashcontrol",
                "\(name)wallet://request=address&sender=myapp",
                "\(name):\(address)?amount=0.25&label=Luke-Jr&message=for%20caf%C3%A9",
            ] {
                try await approve(text, in: store)
                try await store.mine(7)
            }
            let open = try await store.receive("\(name)wallet://pay=\(address)&sender=shop")
            _ = try await store.approve(open.id, amount: 123_456)
        }
        try await store.mine(1)
        for callback in try await store.callbacks() {
            _ = try await store.delivered(callback.request)
        }
    }

    private func connectLinks() async throws {
        let store = try folder.open()
        let parties = #""from":"\#(Self.key1)","to":"\#(Self.key2)""#
        let raw = #""version":"0x3",\#(parties),"value":"0x1","stepLimit":"0x186a0","#
            + #""timestamp":"0x\#(String(folder.now.withLock { $0 }, radix: 16))","#
            + #""nid":"0x3","nonce":"0x1""#
        for data in [
            #"{"id":1,"method":"bind"}"#,
            #"{"id":2,"method":"sign","params":{\#(raw)}}"#,
            #"{"id":3,"method":"sendICX","params":{\#(parties),"value":"0xde0b6b3a7640000"}}"#,
            #"{"id":4,"method":"sendICX","params":{\#(parties),"value":"0x1","#
                + #""dataType":"message","data":"0x686f6c61"}}"#,
            #"{"id":5,"method":"sendToken","params":{\#(parties),"value":"0x64","#
                + #""contractAddress":"\#(Self.token)"}}"#,
        ] {
            try await approve(connect(data), in: store)
            if data.contains("bind") { _ = try await store.receive(connect(data)) }
            try await store.mine(1)
        }
        let payload = #"{"jsonrpc":"2.0","method":"icx_sendTransaction","id":1,"params":{\#(raw)}}"#
        for (host, data) in [("bind", ""), ("JSON-RPC", #","payload":\#(payload)"#)] {
            let json = Base64.encode(Array(#"{"redirect":"app://back"\#(data)}"#.utf8))
            try await approve("iconex://\(host)?data=\(json)", in: store)
        }
        try await store.mine(1)
    }

    /// A proof of payment, a payment that a child helps, and one that is cancelled.
    private func remedies() async throws {
        let store = try folder.open()
        try await approve("dash:\(Self.dash)?amount=0.6&pop=app%3A", in: store)
        let pay = "dashwallet://pay=\(Self.dash)"
        try await store.setFault(.withholdLocks, on: .dash)
        let slow = try await store.receive("\(pay)&amount=0.7&sender=myapp")
        _ = try await store.approve(slow.id)
        let bump = try await store.bump(slow.id)
        #expect(try await store.approve(bump.id).status == .completed)
        let stuck = try await store.receive("\(pay)&amount=0.8&sender=myapp")
        try await store.setFault(
            .refuseNext(code: -26, message: "mempool min fee not met, 226 < 450"), on: .dash)
        #expect(try await store.approve(stuck.id).status == .signed)
        try await store.setFault(.withholdLocks, on: .dash)
        let cancel = try await store.cancel(stuck.id)
        #expect(try await store.approve(cancel.id).status == .sent)
        try await store.setFault(.none, on: .dash)
        try await store.mine(1)
        #expect(try await store.request(stuck.id).status == .cancelled)
    }

    private func refusals() async throws {
        let store = try folder.open()
        let pay = "dashwallet://pay=\(Self.dash)"
        _ = try await store.receive("\(pay)&amount=1.5.0&sender=myapp")
        _ = try await store.receive("bitcoin:1111111111111111111114oLvT2")
        _ = try await store.receive(
            "dashwallet://pay=XBHddvWWiMu3nZhhpTXBQWJMmdz5JNKJD85b9fgKAckCT2coW3Y4&sender=x1")
        _ = try await store.receive(connect(#"{"id":6,"method":"foo"}"#))
        let rejected = try await store.receive(connect(#"{"id":7,"method":"bind"}"#))
        _ = try await store.reject(rejected.id)
        let late = try await store.receive(connect(#"{"id":8,"method":"bind"}"#))
        folder.turnClock(seconds: 601)
        _ = try await store.pending()
        try await refused { _ = try await store.reject(late.id) }
        let open = try await store.receive("\(pay)&amount=0.1&sender=myapp")
        _ = try await store.receive("\(pay)&amount=0.1&sender=myapp", key: "again")
        let other = try await store.receive("\(pay)&amount=0.2&sender=myapp")
        guard let prompt = other.prompt else { return }
        try await refused {
            _ = try await store.approve(
                open.id, shown: prompt, unlockedBy: Passphrase("correct horse"))
        }
        for _ in 0..<3 {
            try await refused {
                _ = try await store.approve(open.id, shown: prompt, unlockedBy: Passphrase("no"))
            }
        }
    }

    /// Node faults, reorganisations, a key that is gone.
    private func troubles() async throws {
        let store = try folder.open()
        folder.turnClock(seconds: 700)
        let pay = "dashwallet://pay=\(Self.dash)"
        for (amount, fault) in [
            ("0.3", Store.Fault.refuseNext(code: -26, message: "66: insufficient priority")),
            ("0.4", .loseNextAnswer), ("0.5", .none),
        ] {
            let request = try await store.receive("\(pay)&amount=\(amount)&sender=myapp")
            try await store.setFault(fault, on: .dash)
            _ = try await store.approve(request.id)
        }
        try await store.resume()
        try await store.mine(1)
        try await store.reorganise(.dash, depth: 1)
        try await store.mine(2)
        try await store.reorganise(.icon, depth: Int(try await store.height("icon/sandbox")))
        try await store.mine(1)
        for wallet in try await store.wallets() where wallet.chain == .icon {
            _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000000000000")
        }
        let send = #"{"id":9,"method":"sendICX","params":{"from":"\#(Self.key1)","#
            + #""to":"\#(Self.key2)","value":"0x1"}}"#
        try await store.setFault(.silent, on: .icon)
        _ = try await store.receive(connect(send))
        try await store.setFault(.none, on: .icon)
        let last = try await store.receive(
            connect(send.replacingOccurrences(of: #""id":9"#, with: #""id":10"#)))
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/keys") {
            try FileManager.default.removeItem(atPath: folder.path + "/keys/" + file)
        }
        _ = try await store.approve(last.id)
        _ = try await store.delivered(last.id)
    }

    func approve(_ text: String, in store: Store) async throws {
        let request = try await store.receive(text)
        try #require(request.status == .pending, "\(text): \(request.reason ?? "")")
        _ = try await store.approve(request.id)
    }

    /// A refusal on purpose: only the facade's own refusals may come of it.
    private func refused(_ body: () async throws -> Void) async throws {
        do { try await body() } catch is DaybookError {}
    }
}

extension Store {
    fileprivate func height(_ chain: String) throws -> UInt64 {
        try tips().first { $0.chain == chain }?.height ?? 0
    }
}
