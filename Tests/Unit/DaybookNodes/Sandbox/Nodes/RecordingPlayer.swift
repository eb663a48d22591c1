import DaybookEncoding
import Foundation
import NodeServer
import Testing
import TestSupport

/// Asks a server what a real node was asked, in the same order, and collects what differs.
struct RecordingPlayer {
    let server: NodeServer
    /// The recording's name of a thing, and the name here.
    var substitutions: [(recorded: String, own: String)] = []
    /// Where the answers differ.
    private(set) var differences: [AnswerDifference] = []
    /// How many exchanges were compared.
    private(set) var compared = 0
    /// The methods that the real node has and the server has not.
    private(set) var unanswered: Set<String> = []

    init(_ server: NodeServer) {
        self.server = server
    }

    /// The exchanges of a file in Tests/Fixtures.
    static func exchanges(_ file: String) throws -> [RecordedExchange] {
        try RecordedExchange.load(Fixture.url(file))
    }

    /// The lines of a file in Tests/Fixtures, each of them JSON.
    static func lines(_ file: String) throws -> [JSON] {
        try Fixture.jsonLines(file)
    }

    mutating func play(_ exchange: RecordedExchange) throws {
        // A request that is a text was none in JSON.
        let request = exchange.request.stringValue ?? exchange.request.text()
        let answer = try server.post(replaced(request), path: exchange.path)
        let method = exchange.request["method"]?.stringValue ?? "no method"
        let recorded = HTTPResult(status: exchange.status, body: replaced(exchange.body))
        let isUnknown = answer.errorCode == -32601 && recorded.errorCode != -32601
        guard !isUnknown else {
            unanswered.insert(method)
            return
        }
        compared += 1
        var places = AnswerDifference.places(
            .int(recorded.status), .int(answer.status), at: "status")
        // A consequence of another outcome is no difference of its own.
        if places.isEmpty {
            places = AnswerDifference.places(recorded.json, answer.json, at: "")
            if recorded.json == .null, recorded.body != answer.body {
                places.append(("body", recorded.body, answer.body))
            }
        }
        differences += places.map { place, recorded, answered in
            AnswerDifference(
                label: exchange.label, method: method,
                place: String(place.drop { $0 == "." }),
                recorded: String(recorded.prefix(200)), answered: String(answered.prefix(200)))
        }
    }

    private func replaced(_ text: String) -> String {
        substitutions.reduce(text) { $0.replacingOccurrences(of: $1.recorded, with: $1.own) }
    }

    /// Every difference is in the table, and every line of the table is a difference.
    func check(_ table: [KnownDifference], unanswered known: Set<String>) {
        for difference in differences where !table.contains(where: { $0.covers(difference) }) {
            Issue.record("\(difference)")
        }
        for line in table where line.isOutdated(differences) {
            Issue.record("no difference any more: \(line)")
        }
        #expect(unanswered == known)
    }
}
