import DaybookChains
import DaybookEncoding
import Testing

struct IRC2Tests {
    private func event(_ text: String) throws -> ICONEventLog? {
        ICONEventLog(try JSON.parse(Bytes(text.utf8)))
    }

    @Test func `the recorded event of a transfer is read`() throws {
        let found = try event(
            """
            {"scoreAddress":"cx3c70e865acff1a244dbc0cb7845ea6ab2c4fcfe9",\
            "indexed":["Transfer(Address,Address,int,bytes)",\
            "hxe7af5fcfd8dfc67530a01a0e403882687528dfcb",\
            "hx299add9cba975da42701a1cf34fc5de88dae282a","0x6f05b59d3b20000"],\
            "data":["0x4e6f6e65"]}
            """)
        let transfer = try #require(found.flatMap { IRC2.Transfer($0) })
        #expect(transfer.from.text == "hxe7af5fcfd8dfc67530a01a0e403882687528dfcb")
        #expect(transfer.to.text == "hx299add9cba975da42701a1cf34fc5de88dae282a")
        #expect(transfer.value == UInt256(500_000_000_000_000_000))
        #expect(transfer.data == Bytes("None".utf8))
    }

    @Test(arguments: [
        #"{"indexed":["Transfer(Address,Address,int,bytes)"],"data":[]}"#,
        #"{"scoreAddress":"cx3c70e865acff1a244dbc0cb7845ea6ab2c4fcfe9","indexed":[],"data":[]}"#,
        #"{"scoreAddress":"cx","indexed":["A()"],"data":[]}"#,
    ]) func `a log that is no event is not read as one`(text: String) throws {
        #expect(try event(text) == nil)
    }

    @Test(arguments: [
        ["Approval(Address,Address,int,bytes)", "hx", "hx", "0x1", "0x"],
        ["Transfer(Address,Address,int,bytes)", "0x1"],
        [
            "Transfer(Address,Address,int,bytes)", "hx299add9cba975da42701a1cf34fc5de88dae282a",
            "hx299add9cba975da42701a1cf34fc5de88dae282a", "-0x1", "0x",
        ],
    ]) func `other events are no transfer`(values: [String]) throws {
        let contract = try #require(ICONAddress("cx3c70e865acff1a244dbc0cb7845ea6ab2c4fcfe9"))
        let event = ICONEventLog(
            contract: contract, signature: values[0], arguments: values.dropFirst().map { $0 })
        #expect(IRC2.Transfer(event) == nil)
    }

    @Test func `questions are calls of the standard's methods`() throws {
        let owner = try #require(ICONAddress("hx299add9cba975da42701a1cf34fc5de88dae282a"))
        #expect(IRC2.Query.symbol.data.text() == #"{"method":"symbol"}"#)
        #expect(
            IRC2.Query.balance(of: owner).data.text()
                == #"{"method":"balanceOf","params":{"_owner":"\#(owner.text)"}}"#)
    }
}
