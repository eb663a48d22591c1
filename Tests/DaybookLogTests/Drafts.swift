import DaybookEncoding
import DaybookLog

extension EventDraft {
    /// A draft with what a test does not care about filled in.
    static func sample(
        stream: String = "session/0", type: String = "sample", time: UInt64 = 1_000,
        session: Reference = .at(0), request: Reference? = nil, cause: UInt64? = nil,
        note: String = "x"
    ) -> EventDraft {
        EventDraft(
            stream: stream, type: type, time: time, session: session, request: request,
            cause: cause, actor: "test", data: .record(["note": .text(note)]))
    }
}
