import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

struct PSBTTests {
    private let vector = DashPSBTVector.all[0]

    @Test func `bytes that end early or go on are refused with the place`() throws {
        let bytes = try PSBT(file: Bytes(vector.updated.utf8)).serialized()
        for count in bytes.indices {
            #expect(throws: PSBTError.self) { try PSBT(parsing: Bytes(bytes[..<count])) }
        }
        #expect(throws: PSBTError(.trailingBytes, .offset(bytes.count))) {
            try PSBT(parsing: bytes + [0])
        }
    }

    @Test func `an altered byte is refused, or read as the altered value`() throws {
        let bytes = try PSBT(file: Bytes(vector.finalized.utf8)).serialized()
        for index in bytes.indices {
            for bit in 0..<8 {
                var altered = bytes
                altered[index] ^= 1 << bit
                guard let psbt = try? PSBT(parsing: altered) else { continue }
                #expect(psbt.serialized() == altered)
                // Everything but keys and values of unknown types has an effect or a meaning.
                #expect((try? psbt.signedTransaction()) == nil)
            }
        }
    }

    @Test func `a file that is too large or has too many fields is refused`() throws {
        let large = Bytes(repeating: 0, count: PSBT.maximumSize + 1)
        #expect(throws: PSBTError(.tooLarge, .offset(large.count))) { try PSBT(parsing: large) }
        let text = Bytes(repeating: UInt8(ascii: "A"), count: PSBT.maximumFileSize + 1)
        #expect(throws: PSBTError(.tooLarge, .offset(text.count))) { try PSBT(file: text) }
        var psbt = try PSBT(file: Bytes(vector.updated.utf8))
        for number in psbt.inputs[0].fields.count..<PSBTMap.maximumFields {
            psbt.inputs[0].set(0xf0, data: BigEndian.fourBytes(UInt32(number)), to: [])
        }
        #expect(try PSBT(parsing: psbt.serialized()) == psbt)
        psbt.inputs[0].set(0xf1, to: [])
        let error = #expect(throws: PSBTError.self) { try PSBT(parsing: psbt.serialized()) }
        #expect(error?.reason == .fields)
    }

    @Test(arguments: [
        ([0xfd, 0xfc, 0x00], false), ([0xfd, 0xfd, 0x00], true), ([0xfd, 0x00, 0x01], true),
        ([0xfd, 0x01], false), ([0xfe, 0xff, 0xff, 0, 0], false),
        ([0xfe, 0, 0, 1, 0], true), ([0xff, 1, 1, 1, 1, 0, 0, 0, 0], false),
        ([0xff, 0, 0, 0, 0, 1, 0, 0, 0], true), ([0xff, 0, 0, 0, 0, 1, 0, 0], false),
    ] as [(Bytes, Bool)])
    func `a type of several bytes is written in the fewest`(key: Bytes, isShortest: Bool) throws {
        var psbt = try PSBT(file: Bytes(vector.updated.utf8))
        psbt.inputs[0].set(key[0], data: Bytes(key.dropFirst()), to: [1])
        let parsed = try? PSBT(parsing: psbt.serialized())
        #expect((parsed != nil) == isShortest)
    }

    @Test(arguments: [
        (PSBTField.signatureHashType, Bytes([1, 0, 0]), PSBTError.Reason.value),
        (PSBTField.signatureHashType, [1, 0, 0, 0, 0], .value),
        (PSBTField.signatureHashType, [1, 0, 0, 0], nil),
    ])
    func `a sighash type has four bytes`(
        type: UInt8, value: Bytes, reason: PSBTError.Reason?
    ) throws {
        var psbt = try PSBT(file: Bytes(vector.updated.utf8))
        psbt.inputs[0].set(type, to: value)
        guard let reason else {
            _ = try PSBT(parsing: psbt.serialized()).unsigned()
            return
        }
        let error = #expect(throws: PSBTError.self) { try PSBT(parsing: psbt.serialized()) }
        #expect(error?.reason == reason)
    }

    @Test func `a sighash type other than ALL is refused before it is signed`() throws {
        var psbt = try PSBT(file: Bytes(vector.signed[0].utf8))
        psbt.inputs[0].set(PSBTField.signatureHashType, to: [0x81, 0, 0, 0])
        #expect(throws: PSBTError(.hashType, .input(0))) { try psbt.unsigned() }
        #expect(throws: PSBTError(.hashType, .input(0))) { try psbt.signedTransaction() }
    }

    @Test func `an origin is a fingerprint and whole steps`() throws {
        let key = vector.keys[0].publicKey.compressed
        for count in [0, 3, 5, 4 + 256 * 4] {
            var psbt = try PSBT(file: Bytes(vector.updated.utf8))
            psbt.inputs[0].set(
                PSBTField.inputOrigin, data: key, to: Bytes(repeating: 1, count: count))
            let error = #expect(throws: PSBTError.self) { try PSBT(parsing: psbt.serialized()) }
            #expect(error?.reason == .value)
        }
    }

    @Test func `errors say what is wrong and where`() {
        #expect(
            PSBTError(.duplicate, .offset(7)).description
                == "a key stands in its map twice (offset 7)")
        #expect(
            PSBTError(.noPrevious, .input(1)).description
                == "the transaction that made the spent output is missing (input 1)")
        #expect(
            PSBTError(.fee, .whole).description == "the outputs are more than the inputs")
    }
}
