import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

struct BIP370Tests {
    @Test(arguments: PSBTVector.of("valid", in: "bip370") + PSBTVector.of("locktime", in: "bip370"))
    func `a valid PSBT serializes to the same bytes`(vector: PSBTVector) throws {
        let psbt = try PSBT(file: Bytes(vector.base64.utf8))
        #expect(psbt.base64 == vector.base64)
        let words = vector.kind.split(separator: " ")
        guard words.count == 2 else { return }
        #expect(String(psbt.transaction.lockTime) == words[1])
    }

    @Test(arguments: PSBTVector.of("invalid", in: "bip370") + PSBTVector.of("none", in: "bip370"))
    func `an invalid PSBT is refused by its rule`(vector: PSBTVector) {
        let error = #expect(throws: PSBTError.self) { try PSBT(file: Bytes(vector.base64.utf8)) }
        let reason: PSBTError.Reason = switch vector.name {
        case let name where name.hasPrefix("PSBTv0 but"): .otherVersion
        case "PSBTv2 but with PSBT_GLOBAL_UNSIGNED_TX": .otherVersion
        case let name where name.contains("missing"): .missing
        case let name where name.hasPrefix("PSBTv2 with"): .value
        default: .lockTimes
        }
        #expect(error?.reason == reason)
    }

    @Test(arguments: DashPSBTVector.single)
    func `a payment in version 2 is signed as in version 0`(vector: DashPSBTVector) throws {
        let old = try PSBT(file: Bytes(vector.updated.utf8))
        var psbt = try PSBT(parsing: PSBTVersion2.bytes(of: old, modifiable: 7))
        #expect(psbt.transaction == old.transaction)
        #expect(try psbt.fee() == old.fee())
        for (index, digest) in try psbt.unsigned().digests.enumerated() {
            let signature = vector.keys[index].secret.sign(digest: digest)
            psbt.add(
                .init(try #require(signature), by: vector.keys[index].publicKey), ofInput: index)
        }
        #expect(psbt.global[PSBTField.modifiable] == [4], "nobody may add inputs or outputs")
        let again = try PSBT(file: Bytes(psbt.base64.utf8))
        #expect(again == psbt)
        let signed = try again.signedTransaction()
        #expect(signed.outputs == old.transaction.outputs)
        #expect(try again.finalized().signedTransaction() == signed)
    }

    @Test func `a special transaction and an absurd count are refused`() throws {
        let old = try PSBT(file: Bytes(DashPSBTVector.all[0].updated.utf8))
        for (field, value, reason) in [
            (0x02, [3, 0, 1, 0], .transaction), (0x02, [2, 0, 0], .value),
            (0x04, [0xfe, 255, 255, 255, 255], .endsEarly), (0x04, [0xfd, 1, 0], .missing),
            (0x04, [], .missing), (0x05, [1, 0], .missing), (0x06, [], .value),
        ] as [(UInt8, Bytes, PSBTError.Reason)] {
            let bytes = PSBTVersion2.bytes(of: old) { $0.set(field, to: value) }
            let error = #expect(throws: PSBTError.self) { try PSBT(parsing: bytes) }
            #expect(error?.reason == reason, "\(field) \(value)")
        }
    }
}
