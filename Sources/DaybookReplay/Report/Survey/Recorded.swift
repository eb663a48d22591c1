import DaybookDomain
import DaybookLog

/// A record, and the event in it if it can be read as one.
///
/// A page shows every record; that one can't be read is for the findings to say.
struct Recorded {
    let record: EventRecord
    let event: Event?

    init(_ record: EventRecord) {
        self.record = record
        let reading = Result { () throws(FieldError) in try Recording.event(record) }
        event = try? reading.get()
    }
}
