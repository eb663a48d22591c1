import DaybookEncoding
import Foundation
import Testing

@testable import Daybook

/// Each of ICONex Connect's codes, reached by a request.
struct ConnectCodeRequestTests {
    let key1 = "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
    let key2 = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"

    private func store(
        _ temporary: TemporaryStore, loop: MinorAmount? = nil
    ) async throws -> Store {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.icon)
        if let loop { _ = try await store.fundFromFaucet(wallet.id, amount: loop) }
        return store
    }

    private func send(_ value: String, from: String? = nil, to: String? = nil) -> String {
        connect(
            #"{"id":5,"method":"sendICX","params":{"from":"\#(from ?? key1)","#
                + #""to":"\#(to ?? key2)","value":"\#(value)"}}"#)
    }

    private func expect(
        _ request: WalletRequest, _ code: Int, _ result: String, id: Int = 5,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            answer(request) == #"{"id":\#(id),"code":\#(code),"result":"\#(result)"}"#,
            sourceLocation: location)
        #expect(request.protocolCode == code, sourceLocation: location)
    }

    @Test func `texts that are no request get -1001, -1002 and -1003`() async throws {
        let store = try await store(try TemporaryStore())
        let data = try await store.receive("iconex://?data=%21%21%21&caller=my-app-scheme://")
        expect(data, -1001, "Parse error (Invalid JSON type)", id: -1)
        let absent = try await store.receive("iconex://?caller=my-app-scheme://")
        expect(absent, -1002, "Invalid request.", id: -1)
        let method = try await store.receive(connect(#"{"id":5,"method":"foo"}"#))
        expect(method, -1003, "Invalid method")
        try await store.expectCleanReplay()
    }

    @Test func `without a caller -1004 is shown and nothing is sent`() async throws {
        let store = try await store(try TemporaryStore())
        let request = try await store.receive("iconex://?data=eyJpZCI6MSwibWV0aG9kIjoiYmluZCJ9")
        #expect(request.protocolCode == -1004 && request.callback == nil)
    }

    @Test func `without a wallet bind gets -2001`() async throws {
        let store = try TemporaryStore().open()
        let request = try await store.receive(connect(#"{"id":5,"method":"bind"}"#))
        expect(request, -2001, "ICONex has no ICX wallet.")
    }

    @Test func `parameters that are missing, invalid, foreign or equal have their codes`()
        async throws
    {
        let store = try await store(try TemporaryStore())
        let missing = try await store.receive(
            connect(
                #"{"id":5,"method":"sendICX","params":{"from":"\#(key1)","to":"\#(key2)"}}"#))
        expect(missing, -2002, "Not found parameter. ('value')")
        expect(try await store.receive(send("10")), -3005, "Invalid parameter. ('value')")
        let stranger = "hxbe258ceb872e08851f1f59694dac2558708ece11"
        expect(
            try await store.receive(send("0x1", from: stranger)), -3001,
            "Could not find matched wallet. ('\(stranger)')")
        expect(
            try await store.receive(send("0x1", to: key1)), -3002,
            "Sending and receiving address are same.")
        try await store.expectCleanReplay()
    }

    @Test func `too little for the amount is -3003, for the fee -3004`() async throws {
        let store = try await store(try TemporaryStore(), loop: "1250000000000001")
        expect(
            try await store.receive(send("0x4000000000000000")), -3003, "Insufficient balance.")
        expect(
            try await store.receive(send("0x2")), -3004, "Insufficient balance for fee.")
        try await store.expectCleanReplay()
    }

    @Test func `the user's no is -1000`() async throws {
        let store = try await store(try TemporaryStore())
        let request = try await store.receive(connect(#"{"id":5,"method":"bind"}"#))
        let rejected = try await store.reject(request.id)
        #expect(
            answer(rejected)
                == #"{"id":5,"code":-1000,"result":"Operation canceled by user."}"#)
    }

    @Test func `a key file that is gone is -4001`() async throws {
        let temporary = try TemporaryStore()
        let store = try await store(temporary, loop: "10000000000000000000")
        let request = try await store.receive(send("0x1"))
        for file in try FileManager.default.contentsOfDirectory(atPath: temporary.path + "/keys") {
            try FileManager.default.removeItem(atPath: temporary.path + "/keys/" + file)
        }
        expect(try await store.approve(request.id), -4001, "Failed to sign.")
        try await store.expectCleanReplay()
    }

    @Test func `a silent network is -9999, and so is its refusal`() async throws {
        let store = try await store(try TemporaryStore(), loop: "10000000000000000000")
        let request = try await store.receive(send("0x1"))
        try await store.setFault(
            .refuseNext(code: -31000, message: "SystemError: E2105"), on: .icon)
        let refused = try await store.approve(request.id)
        #expect(refused.status == .failed && refused.protocolCode == -9999)
        #expect(answer(refused)?.contains("E2105") == false)
        #expect(try await store.balances().first?.reserved == "0")
        try await store.setFault(.silent, on: .icon)
        let silent = try await store.receive(send("0x2"))
        #expect(silent.status == .refused && silent.protocolCode == -9999)
        try await store.expectCleanReplay()
    }
}
