import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Journal {
    /// What the events of a request say of where it stands.
    func course(of request: RequestID) throws -> PaymentCourse {
        try log.read { log in try log.course(of: request) }
    }

    /// Whether a node says of a transaction what it said last, as far as that is on record.
    ///
    /// Figures in its text may differ: they are no news.
    func isOld(_ answer: BroadcastAnswered, of request: RequestID) throws -> Bool {
        let reason = NodeReason(answer)
        guard let last = try course(of: request).answer?.data, last.answer == answer.answer,
            NodeReason(last) == reason
        else { return false }
        return last.message == answer.message || reason != .noAnswer
    }
}

extension LogSnapshot {
    /// What the events of a request say of where it stands.
    func course(of request: RequestID) throws -> PaymentCourse {
        var course = PaymentCourse()
        for position in try positions(ofRequest: request.number) {
            guard let record = try record(at: position), record.requestID == request,
                let event = try Recording.event(record)
            else { continue }
            course.take(event)
        }
        return course
    }
}
