import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding

/// Requests of ICONex Connect's second form, from the link to the balance.
extension StoreChecks {
    static func connecting(_ scene: StoreScene) -> [Check<NodeICONDriver>] {
        [
            Check("a request without a step limit is paid, with one that suffices") { driver in
                try await scene.use(networkID: driver.nid) { store, wallet in
                    let payer = try await fund(wallet, in: store, driver)
                    let receiver = try Account().address
                    let link = try await sendTransaction(
                        #""to":"\#(receiver.text)","value":"0x3b9aca07""#, from: payer, driver)
                    let request = try await scene.approve(link, in: store)
                    try expect("the request's status", request.status, is: .completed)
                    try await driver.advance()
                    _ = try await store.sync()
                    try expect(
                        "what arrived", try await driver.balance(receiver),
                        is: UInt256(1_000_000_007))
                    let rest = MinorAmount(try await driver.balance(payer))
                    try expectRest(
                        "the rest", try await scene.balance("ICX", in: store), has: rest)
                }
            },
            Check("a transaction that a block executed without success is no payment") {
                driver in
                try await scene.use(networkID: driver.nid) { store, wallet in
                    let payer = try await fund(wallet, in: store, driver)
                    let nowhere = try require(
                        ICONAddress(kind: .contract, hash: Bytes(try Account().address.hash)),
                        "no address was made")
                    let link = try await sendTransaction(
                        #""to":"\#(nowhere.text)","stepLimit":"0xf4240","dataType":"call","#
                            + #""data":{"method":"transfer"}"#, from: payer, driver)
                    let sent = try await scene.approve(link, in: store)
                    _ = try require(sent.callback, "there is no callback")
                    try await driver.advance()
                    _ = try await store.sync()
                    let request = try await store.request(sent.id)
                    try expect("the status afterwards", request.status, is: .failed)
                    try expect("the reason", request.refusal, is: "failedOnChain")
                    try expect("that the caller was told", request.wasToldPaid, is: true)
                    let rest = try await driver.balance(payer)
                    try expect(rest < ICONChecks.icx, "it cost nothing")
                    try expectRest(
                        "the rest", try await scene.balance("ICX", in: store),
                        has: MinorAmount(rest))
                }
            },
            Check("words make the account that other wallets make of them") { driver in
                let words = String(repeating: "abandon ", count: 11) + "about"
                try await scene.use(networkID: driver.nid, words: words) { store, wallet in
                    // By IIP 48's path, as iconsdk has it from the same key.
                    let known = "hx8e825d342f8dd76af9dba2f53464c9781833d39f"
                    try expect("its address", try await store.address(of: wallet.id), is: known)
                    let holder = try await fund(wallet, in: store, driver)
                    let held = try await driver.balance(holder)
                    try expectRest(
                        "what it has", try await scene.balance("ICX", in: store),
                        has: MinorAmount(held))
                }
            },
        ]
    }

    /// The step limit that a sender chooses.
    static func limiting(_ scene: StoreScene) -> [Check<NodeICONDriver>] {
        [
            Check("a step limit below the least is refused, and the sender is told why") { driver in
                try await scene.use(networkID: driver.nid) { store, wallet in
                    let payer = try await fund(wallet, in: store, driver)
                    let least = try require(
                        try await driver.look().iconFees?.steps.transfer, "no price is told")
                    let receiver = try Account().address
                    for (steps, isTaken) in [(least - 1, false), (least, true)] {
                        let link = try await sendTransaction(
                            #""to":"\#(receiver.text)","value":"0x1","#
                                + #""stepLimit":"0x\#(String(steps, radix: 16))""#,
                            from: payer, driver)
                        let request = try await store.receive(link)
                        try expect("the status", request.status, is: isTaken ? .pending : .refused)
                        try expect(
                            "the reason", request.refusal, is: isTaken ? nil : "stepLimitTooLow")
                    }
                }
            },
        ]
    }

    /// Gives a wallet one ICX; its address comes back.
    private static func fund(
        _ wallet: Wallet, in store: Store, _ driver: NodeICONDriver
    ) async throws -> ICONAddress {
        let address = try await store.address(of: wallet.id)
        let holder = try require(ICONAddress(address), "\(address) is no address")
        try await driver.pay(holder, loop: ICONChecks.icx)
        _ = try await store.sync()
        return holder
    }

    /// The link of a request of Connect's second form.
    private static func sendTransaction(
        _ parameters: String, from payer: ICONAddress, _ driver: NodeICONDriver
    ) async throws -> String {
        let time = String(try await driver.now(), radix: 16)
        let json =
            #"{"redirect":"myapp://","payload":{"jsonrpc":"2.0","id":1,"#
            + #""method":"icx_sendTransaction","params":{"version":"0x3","#
            + #""from":"\#(payer.text)","nid":"0x\#(String(driver.nid, radix: 16))","#
            + #""timestamp":"0x\#(time)",\#(parameters)}}}"#
        let data = Base64.encode(Bytes(json.utf8)).replacing("=", with: "%3D")
        return "iconex://JSON-RPC?data=\(data)"
    }
}
