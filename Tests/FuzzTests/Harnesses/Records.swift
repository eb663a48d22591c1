import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Harness {
    /// The bytes of an event, as a log or an export has them, and what they say.
    static let records = Harness(
        "records", longest: 1024,
        words: ["gwallet", "echain", "gnetwork", "freason", "faction", "eparameters", "foutputs"]
    ) { bytes in
        guard let record = try? EventRecord.decode(bytes) else { return }
        try law("an event has one spelling", record.bytes == bytes)
        try law("nothing follows an event", (try? EventRecord.decode(bytes + [0])) == nil)
        guard let payload = try? record.event()?.payload else { return }
        let coded = payload.data.coded
        let spelled = try CBOR.decode(coded.encoded())
        try law("what an event says is coded by the log's rules", spelled == coded)
        let again = try Payload(
            type: record.type, version: record.version, data: EncodedCBOR(coded))
        try law("what an event says is recorded without loss", again == payload)
    }
}
