import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookReplay

/// The table of transitions against a recorded session on all chains.
struct PaymentCourseTests {
    @Test func `every step of a recorded session is in the table, and leads where the row is`()
        throws
    {
        let records = try GoldenLog.records()
        let state = GoldenLog.survey(records).state
        var courses: [RequestID: PaymentCourse] = [:]
        for record in records {
            guard let event = try? record.event(), let id = event.request else { continue }
            courses[id, default: PaymentCourse()].apply(event)
        }
        #expect(courses.count > 50)
        for (id, course) in courses {
            #expect(course.fault == nil, "request \(id): \(course.fault.map { "\($0)" } ?? "")")
            let row = try #require(state.request(id))
            #expect(state.paymentState(of: row) == course.state, "request \(id)")
        }
    }
}
