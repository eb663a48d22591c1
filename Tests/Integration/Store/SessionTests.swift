import DaybookEncoding
import Foundation
import Testing

@testable import Daybook

/// The main job from URL to callback, on the embedded chains, and its replay.
struct SessionTests {
    let dash = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
    let axe = "P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8"
    let key1 = "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
    let key2 = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"

    @Test func `a Dash payment goes from its URL to its callback and replays`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        #expect(wallet.address == "XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5")
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        let request = try await store.receive(
            "dashwallet://pay=\(dash)&amount=1.5&sender=myapp")
        #expect(request.status == .pending)
        #expect(request.prompt?["amount"] == "1.5")
        #expect(request.prompt?["to"] == dash)
        let done = try await store.approve(request.id)
        #expect(done.status == .completed)
        let txid = try #require(done.transaction)
        #expect(done.callback == "myapp://callback=payack&address=\(dash)&txid=\(txid)")
        let before = try await store.balances()
        #expect(before.first?.confirmed == "0")
        #expect(before.first?.unconfirmed == before.first?.available)
        try await store.mine(1)
        let after = try await store.balances()
        #expect(after.first?.confirmed == "849999774")
        #expect(after.first?.available == "849999774")
        #expect(after.first?.reserved == "0")
        _ = try await store.delivered(request.id)
        #expect(try await store.callbacks().isEmpty)
        try await store.expectCleanReplay()
    }

    @Test func `an Axe payment by the user's own amount is answered as documented`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.axe)
        _ = try await store.fundFromFaucet(wallet.id, amount: "500000000")
        let request = try await store.receive("axewallet://pay=\(axe)&sender=shop")
        #expect(request.prompt?.isAmountMissing == true)
        let done = try await store.approve(request.id, amount: 123_456_789)
        let txid = try #require(done.transaction)
        #expect(done.callback == "shop://callback=payack&address=\(axe)&txid=\(txid)")
        try await store.expectCleanReplay()
    }

    @Test func `InstantSend that is required waits for coins that can be locked`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        let text = "dashwallet://pay=\(dash)&amount=1&req-IS=1&sender=myapp"
        let request = try await store.receive(text)
        try await store.setFault(.withholdLocks, on: .dash)
        _ = try await store.sync()
        await #expect(throws: DaybookError.self) { try await store.approve(request.id) }
        #expect(try await store.request(request.id).status == .pending)
        try await store.setFault(.none, on: .dash)
        try await store.mine(6)
        let done = try await store.approve(request.id)
        #expect(done.status == .completed)
        #expect(done.callback?.hasPrefix("myapp://callback=payack&address=\(dash)&txid=") == true)
        try await store.expectCleanReplay()
    }

    @Test func `keys and addresses are handed out as documented and kept as bindings`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        let keys = try await store.receive(
            "dashwallet://request=masterPublicKey&account=0&sender=dashcontrol")
        let answer = try #require(try await store.approve(keys.id).callback)
        #expect(
            answer.hasPrefix("dashcontrol://callback=masterPublicKey&masterPublicKeyBIP32=xpub"))
        #expect(answer.hasSuffix("&account=0&source=dashwallet"))
        let first = try await store.receive("dashwallet://request=address&sender=myapp")
        let given = try await store.approve(first.id)
        #expect(
            given.callback
                == "myapp://callback=address&address=\(wallet.address)&source=dashwallet")
        let other = try await store.receive("dashwallet://request=address&sender=another")
        let otherAnswer = try await store.approve(other.id)
        #expect(otherAnswer.callback?.contains(wallet.address) == false)
        let bindings = try await store.bindings()
        #expect(bindings.map(\.caller) == ["dashcontrol", "myapp", "another"])
        #expect(bindings.map(\.kind) == [.masterPublicKey, .address, .address])
        #expect(bindings[1].values == [wallet.address])
        try await store.expectCleanReplay()
    }

    @Test func `all of ICONex Connect goes from its URL to its callback`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.icon)
        _ = try await store.fundFromFaucet(wallet.id, amount: "10000000000000000000")
        _ = try await store.fundFromFaucet(wallet.id, amount: "5000", token: true)
        let bind = try await store.receive(
            connect(#"{"id":1234,"method":"bind"}"#))
        let bound = try await store.approve(bind.id)
        #expect(answer(bound) == #"{"id":1234,"code":1,"result":"\#(key1)"}"#)

        let send = try await store.receive(
            connect(
                #"{"id":2,"method":"sendICX","params":{"#
                    + #""from":"\#(key1)","to":"\#(key2)","#
                    + #""value":"0xde0b6b3a7640000"}}"#))
        #expect(send.status == .pending)
        #expect(send.prompt?["amount"] == "1")
        let sent = try await store.approve(send.id)
        #expect(answer(sent) == #"{"id":2,"code":1,"result":"0x\#(sent.transaction ?? "")"}"#)

        let token = try await store.receive(
            connect(
                #"{"id":3,"method":"sendToken","params":{"#
                    + #""from":"\#(key1)","to":"\#(key2)","value":"0x64","#
                    + #""contractAddress":"cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"}}"#))
        #expect(token.status == .pending)
        let tokenSent = try await store.approve(token.id)
        #expect(tokenSent.status == .completed)
        try await store.mine(1)
        let balances = try await store.balances()
        #expect(balances.map(\.reserved) == ["0", "0"])
        #expect(balances.first { $0.asset.hasPrefix("cx") }?.confirmed == "4900")
        // 1 ICX, its fee of 100000 steps, and the token transfer's steps at 12.5e9 loop each.
        let icx = try #require(balances.first { $0.asset == "ICX" })
        #expect(icx.available.description.hasPrefix("899"))

        let sign = try await store.receive(
            connect(
                #"{"id":4,"method":"sign","params":{"#
                    + #""version":"0x3","from":"\#(key1)","to":"\#(key2)","#
                    + #""value":"0x1","stepLimit":"0x186a0","#
                    + #""timestamp":"0x563a6cf330136","nid":"0x3","nonce":"0x1"}}"#))
        let signed = try await store.approve(sign.id)
        let text = try #require(answer(signed))
        #expect(text.hasPrefix(#"{"id":4,"code":1,"result":""#))
        try await store.expectCleanReplay()
    }

    @Test func `a rejection ends with the protocol's own word, or in silence`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        _ = try await store.addTestWallet(.dash)
        _ = try await store.addTestWallet(.icon)
        let pay = try await store.receive("dashwallet://pay=\(dash)&amount=1&sender=myapp")
        let rejected = try await store.reject(pay.id)
        #expect(rejected.status == .rejected && rejected.callback == nil)
        let bind = try await store.receive(connect(#"{"id":7,"method":"bind"}"#))
        #expect(
            answer(try await store.reject(bind.id))
                == #"{"id":7,"code":-1000,"result":"Operation canceled by user."}"#)
        try await store.expectCleanReplay()
    }

    @Test func `the same request again is one request`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        _ = try await store.addTestWallet(.dash)
        let text = "dashwallet://pay=\(dash)&amount=1&sender=myapp"
        let first = try await store.receive(text)
        let second = try await store.receive(text)
        #expect(second.status == .coalesced && second.coalescedInto == first.id)
        let keyed = try await store.receive("dashwallet://request=address&sender=a1", key: "k")
        let events = try await store.allRecords().count
        let again = try await store.receive("dashwallet://request=address&sender=a1", key: "k")
        #expect(try await store.allRecords().count == events)
        #expect(again == keyed)
        await #expect(throws: DaybookError.self) {
            try await store.receive("dashwallet://request=address&sender=b1", key: "k")
        }
        try await store.expectCleanReplay()
    }

    @Test func `a copy that comes while the chain is asked is one request`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.icon)
        _ = try await store.fundFromFaucet(wallet.id, amount: "10000000000000000000")
        let text = connect(
            #"{"id":9,"method":"sendICX","params":{"from":"\#(key1)","to":"\#(key2)","#
                + #""value":"0x1"}}"#)
        async let first = store.receive(text)
        async let second = store.receive(text)
        let both = try await [first, second]
        #expect(both.contains { $0.status == .pending })
        #expect(both.contains { $0.status == .coalesced })
        try await store.expectCleanReplay()
    }

    @Test func `a wallet that was removed is asked nothing, and can come back`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        try await store.removeWallet(wallet.id)
        #expect(try await store.wallets().isEmpty)
        #expect(try await store.balances(wallet: wallet.id).map(\.confirmed) == ["0"])
        let request = try await store.receive("dashwallet://request=address&sender=myapp")
        #expect(request.status == .refused && request.refusal == "noWallet")
        let history = try await store.history(of: wallet.id)
        #expect(history.entries.map(\.kind) == [.removed, .received])
        #expect(history.entries.map(\.amount) == ["-1000000000", "1000000000"])
        let again = try await store.addTestWallet(.dash)
        _ = try await store.sync()
        let balances = try await store.balances(wallet: again.id)
        #expect(balances.map(\.available) == ["1000000000"])
        try await store.expectCleanReplay()
    }

    @Test func `a reorganisation takes confirmations back and gives them again`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        #expect(try await store.balances().first?.confirmed == "1000000000")
        try await store.reorganise(.dash, depth: 1)
        let lost = try await store.balances().first
        #expect(lost?.confirmed == "0" && lost?.unconfirmed == "1000000000")
        try await store.mine(1)
        #expect(try await store.balances().first?.confirmed == "1000000000")
        try await store.expectCleanReplay()
    }
}

/// A Connect request of a client with the scheme `my-app-scheme`.
func connect(_ json: String) -> String {
    let data = Base64.encode(Array(json.utf8)).replacingOccurrences(of: "=", with: "%3D")
    return "iconex://?data=\(data)&caller=my-app-scheme://"
}

/// The JSON of a Connect answer.
func answer(_ request: WalletRequest) -> String? {
    guard let url = request.callback, url.hasPrefix("my-app-scheme://?data=") else { return nil }
    let data = url.dropFirst("my-app-scheme://?data=".count).replacingOccurrences(
        of: "%3D", with: "=")
    return Base64.decode(Array(data.utf8)).flatMap { Text.utf8String($0) }
}
