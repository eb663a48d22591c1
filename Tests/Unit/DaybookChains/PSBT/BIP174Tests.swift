import DaybookChains
import DaybookEncoding
import Testing

struct BIP174Tests {
    @Test(arguments: PSBTVector.of("valid"))
    func `a valid PSBT serializes to the same bytes`(vector: PSBTVector) throws {
        let psbt = try PSBT(file: Bytes(vector.base64.utf8))
        #expect(psbt.base64 == vector.base64)
    }

    @Test(arguments: PSBTVector.of("invalid"))
    func `an invalid PSBT is refused`(vector: PSBTVector) throws {
        let error = #expect(throws: PSBTError.self) { try PSBT(file: Bytes(vector.base64.utf8)) }
        let reasons: [String: PSBTError.Reason] = [
            "Network transaction, not PSBT format": .magic,
            "PSBT missing outputs": .endsEarly,
            "PSBT where one input has a filled scriptSig in the unsigned tx": .scripts,
            "PSBT where inputs and outputs are provided but without an unsigned tx":
                .noTransaction,
            "PSBT with duplicate keys in an input": .duplicate,
            "PSBT with unsigned tx serialized with witness serialization format": .transaction,
            "PSBT with an invalid value data due to its size being not the stated size":
                .transaction,
        ]
        #expect(error?.reason == reasons[vector.name] ?? .key)
    }

    @Test(arguments: PSBTVector.of("unsignable"))
    func `files that a signer must refuse are refused`(vector: PSBTVector) throws {
        let psbt = try PSBT(file: Bytes(vector.base64.utf8))
        let error = #expect(throws: PSBTError.self) { try psbt.signatures() }
        #expect([.input(0), .input(1)].contains(error?.location))
    }
}
