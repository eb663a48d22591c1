import DaybookChains
import DaybookEncoding
import Testing

struct UTXOTransactionTests {
    @Test(arguments: RecordedTransaction.all)
    func `a recorded transaction has its id and is written as it was read`(
        recorded: RecordedTransaction
    ) throws {
        let transaction = try UTXOTransaction.parse(recorded.bytes)
        #expect(transaction.txid.hex == recorded.txid)
        #expect(transaction.serialized() == recorded.bytes)
    }

    @Test(arguments: RecordedTransaction.all.filter { !$0.spent.isEmpty })
    func `a recorded transaction's signatures verify`(recorded: RecordedTransaction) throws {
        let transaction = try UTXOTransaction.parse(recorded.bytes)
        #expect(transaction.verifies(spending: recorded.spent))
    }

    @Test(arguments: RecordedTransaction.all.filter { !$0.spent.isEmpty })
    func `a recorded signature does not fit once an output or the lock time is another`(
        recorded: RecordedTransaction
    ) throws {
        var transaction = try UTXOTransaction.parse(recorded.bytes)
        transaction.outputs[0].amount += 1
        let failure = transaction.scriptFailure(input: 0, spending: recorded.spent[0])
        #expect(failure?.reason == .nullFail)
        #expect(failure?.isMandatory == true)

        transaction = try UTXOTransaction.parse(recorded.bytes)
        transaction.lockTime += 1
        #expect(!transaction.verifies(spending: recorded.spent))
    }

    @Test func `every truncation and a trailing byte are refused at their place`() throws {
        let bytes = RecordedTransaction.all[0].bytes
        for count in bytes.indices {
            #expect(throws: TransactionError.self, "\(count) bytes") {
                try UTXOTransaction.parse(Bytes(bytes[..<count]))
            }
        }
        #expect(throws: TransactionError(.trailingBytes, at: bytes.count)) {
            try UTXOTransaction.parse(bytes + [0])
        }
    }

    @Test func `a count in a longer form than it needs is refused`() {
        let bytes = Hex.decode("02000000fd0100")! + Bytes(repeating: 0, count: 60)
        #expect(throws: TransactionError(.longCount, at: 4)) {
            try UTXOTransaction.parse(bytes)
        }
    }

    @Test func `a count beyond the bytes that are left is refused before memory is taken`() {
        let bytes = Hex.decode("02000000ffffffffffffffffff")!
        let error = #expect(throws: TransactionError(.absurdCount, at: 4)) {
            try UTXOTransaction.parse(bytes)
        }
        #expect(error?.description == "a count is larger than the bytes that are left (offset 4)")
    }

    @Test func `a special transaction keeps its type and payload`() throws {
        let payload: Bytes = [2, 0, 176, 1, 0, 0]
        let transaction = UTXOTransaction(
            version: 3, type: 5,
            inputs: [UTXOTransaction.Input(.null, script: [2, 176, 1, 1, 1])],
            outputs: [UTXOTransaction.Output(amount: 500, script: Script.p2sh(hash).bytes)],
            extraPayload: payload)
        let bytes = transaction.serialized()
        #expect(bytes.starts(with: [3, 0, 5, 0, 1]))
        #expect(bytes.suffix(7).elementsEqual([6] + payload))
        #expect(try UTXOTransaction.parse(bytes) == transaction)
        #expect(transaction.isCoinbase)
    }

    /// The asset unlock of DIP 27's worked example: index 101, a fee of 70 000 duffs, requested at
    /// block 500 by the quorum whose hash is one; it pays one coin.
    private func unlock(
        version: UInt8, requestedAt height: UInt32 = 500, quorum: UInt8 = 1, signature: UInt8 = 0
    ) -> UTXOTransaction {
        var payload: Bytes = [version]
        payload.append(littleEndian: UInt64(101))
        payload.append(littleEndian: UInt32(70_000))
        payload.append(littleEndian: height)
        payload += [quorum] + Bytes(repeating: 0, count: 31)
        payload += Bytes(repeating: signature, count: 96)
        let script = Script.p2pkh(Bytes(repeating: 0x11, count: 20)).bytes
        return UTXOTransaction(
            version: 3, type: 9, inputs: [], outputs: [.init(amount: 100_000_000, script: script)],
            extraPayload: payload)
    }

    @Test func `an asset unlock of version 2 keeps its id when it is signed again`() throws {
        // The id that DIP 27 gives for its worked example.
        let id = "3c4db73c8356407a5d7c78df5045bd280f2dc4fd644b06c4bfbdead3d5ae41cf"
        #expect(unlock(version: 2).txid.hex == id)
        let again = unlock(version: 2, requestedAt: 700, quorum: 2, signature: 0xab)
        #expect(again.txid.hex == id)
        let txid = try #require(TransactionID(hex: id))
        #expect(try UTXOTransaction.parse(again.serialized(), ifIDIs: txid) == again)
    }

    @Test func `all else of an asset unlock is in its id`() {
        // The hash of all bytes is what the quorum signs, and the id of version 1.
        let whole = TransactionID(hashing: unlock(version: 2).serialized())
        #expect(
            whole.hex == "7df5cfea6865226753795ccdd8536781a179f2767febf4281e2236e178dc4a50")
        #expect(unlock(version: 1).txid == TransactionID(
            hashing: unlock(version: 1).serialized()))
        #expect(unlock(version: 1).txid != unlock(version: 1, signature: 1).txid)
        #expect(unlock(version: 3).txid != unlock(version: 3, signature: 1).txid)
        var other = unlock(version: 2)
        other.outputs[0].amount += 1
        #expect(other.txid != unlock(version: 2).txid)
        var longer = unlock(version: 2)
        longer.extraPayload.append(0)
        #expect(longer.txid == TransactionID(hashing: longer.serialized()))
        var lock = unlock(version: 2, signature: 7)
        lock.type = 8
        #expect(lock.txid == TransactionID(hashing: lock.serialized()))
    }

    @Test func `bytes with another id are no transaction of that id`() throws {
        let bytes = RecordedTransaction.all[0].bytes
        #expect(try UTXOTransaction.parse(bytes, ifIDIs: .zero) == nil)
        #expect(throws: TransactionError.self) {
            try UTXOTransaction.parse([], ifIDIs: .zero)
        }
    }

    @Test func `an ordinary transaction has no payload to read`() throws {
        let bytes = UTXOTransaction(version: 3, inputs: [], outputs: []).serialized()
        #expect(Hex.encode(bytes) == "03000000000000000000")
        #expect(throws: TransactionError(.trailingBytes, at: 10)) {
            try UTXOTransaction.parse(bytes + [0])
        }
    }

    @Test func `ids are ordered and written by their last byte first`() throws {
        let low = try #require(TransactionID(hex: "00" + String(repeating: "ff", count: 31)))
        let high = try #require(TransactionID(hex: "01" + String(repeating: "00", count: 31)))
        #expect(low < high)
        #expect(low.bytes.last == 0)
        #expect(low.hex == "00" + String(repeating: "ff", count: 31))
        #expect(TransactionID(hex: "00") == nil)
        #expect(Outpoint(low, 7).text.hasSuffix("ff:7"))
    }

    private let hash = Bytes(repeating: 7, count: 20)
}
