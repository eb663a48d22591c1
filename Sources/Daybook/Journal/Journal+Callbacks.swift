import DaybookDomain
import DaybookLinks
import DaybookLog
import DaybookReplay

extension Journal {
    /// The callback of a request as the log has it; nil where it has none that may be opened.
    ///
    /// The URL comes from the event, not from a row that was derived from it, and by the rules of
    /// today: it may have been recorded elsewhere.
    func callback(of request: UInt64) throws -> String? {
        try log.read { log in
            for position in try log.positions(ofRequest: request) {
                guard let record = try log.record(at: position), record.request == request,
                    case .callbackEmitted(let data)? = try Recording.event(record)?.payload
                else { continue }
                return Caller(callback: data.url) == nil ? nil : data.url
            }
            return nil
        }
    }
}
