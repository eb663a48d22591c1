import DaybookDomain
import DaybookEncoding
import DaybookLog
import Testing

@testable import DaybookReplay

struct AuditResultTests {
    private func text(_ number: UInt64) -> Bytes {
        let hash = String(repeating: "ab", count: 32)
        return Bytes(
            """
            daybook audit result \(number)
            did replay
            log \(String(repeating: "cd", count: 16))
            events 7
            root \(hash)
            engine \(Engine.current)
            rules \(hash)
            rows \(LogVersions.derived)
            divergences 0
            digest \(hash)
            state \(hash)

            """.utf8)
    }

    @Test func `a result has a number, and those of other programs are refused by it`() throws {
        #expect(try AuditResult(text: text(10))?.head.size == 7)
        for (number, why) in [
            (1, "1 was written by a development version before 1.0; audit the whole log"),
            (11, "11 is newer than 10, the last one known; use the program that wrote it"),
        ] as [(UInt64, String)] {
            let error = #expect(throws: FormatNumberError.self) {
                try AuditResult(text: text(number))
            }
            #expect(error?.description == "the format of the audit's result \(why)")
            let code = number == 1 ? "developmentVersion" : "resultOtherRules"
            #expect(error.map { AuditError.unknownFormat($0).code } == code)
        }
        #expect(try AuditResult(text: Bytes("daybook audit result x\n".utf8)) == nil)
    }
}
