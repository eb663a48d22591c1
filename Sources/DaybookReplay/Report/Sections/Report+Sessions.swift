import DaybookEncoding
import DaybookDomain

extension Report {
    func writeSessions(_ page: inout Markup) throws {
        if survey.sessions.isEmpty { return page.element(.p, "There was no session.") }
        let count = survey.sessions.count
        try page.details(
            isOpen: count <= 50,
            summary: { $0.text(count == 1 ? "1 session" : "\(count) sessions") }
        ) { try writeTable(&$0) }
    }

    private func writeTable(_ page: inout Markup) throws {
        let columns = [
            "session", "front end", "began", "last event", "events", "requests", "rules",
            "libraries",
        ]
        try page.table("Sessions", columns, numbers: [4, 5, 6]) { page in
            for session in survey.sessions {
                page.element(.tr, [.id(.session(session.id))]) { write(session, &$0) }
                try page.drain()
            }
        }
    }

    private func write(_ session: Survey.SessionSurvey, _ page: inout Markup) {
        page.element(.th, [.fixed("scope", "row")]) { page in
            source(event: session.id.position, "\(session.id)", &page)
        }
        page.cell { $0.excerpt(session.started.frontEnd) }
        page.cell { $0.moment(session.begins) }
        page.cell { $0.moment(session.lastEvent) }
        page.number(String(session.events))
        page.number(String(session.requests))
        page.number(String(session.started.engine))
        let libraries = session.started.libraries.map { "\($0.name) \($0.version)" }
        page.cell { $0.excerpt(libraries.joined(separator: ", ")) }
    }
}
