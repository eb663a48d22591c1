import DaybookChains
import DaybookEncoding
import Testing
import TestSupport

struct PSBTFileTests {
    @Test func `a PSBT is the same in every wrapping`() throws {
        for vector in DashPSBTVector.all {
            let psbt = try PSBT(file: Bytes(vector.updated.utf8))
            for seed in 0..<300 {
                let file = PSBTWrapping.file(of: psbt.serialized(), seed: UInt64(seed))
                #expect(try PSBT(file: file) == psbt, "seed \(seed) of \(vector.name)")
            }
        }
    }

    @Test func `a text that is no PSBT is named as what can be read`() throws {
        let whole = DashPSBTVector.all[0].updated
        let hex = Hex.encode(try PSBT(file: Bytes(whole.utf8)).serialized())
        for text in [
            "", "\n", "\u{feff}", "p", "{}", "\"\"", #"{"psbt":7}"#, #"{"hex":"00"}"#,
            whole.replacing("=", with: ""), whole + "!", hex.dropLast(1) + "g",
            String(hex.dropLast(1)),
        ] {
            let error = #expect(throws: PSBTError.self) { try PSBT(file: Bytes(text.utf8)) }
            #expect(error == PSBTError(.base64, .whole), "\(text.prefix(20))")
        }
    }
}
