import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookDomain

/// The parts of the documents that follow from the rules.
struct DomainDocumentedTests {
    @Test func `the drawing of states is that of the table`() throws {
        try MadeText.expect(PaymentStateDrawing.svg(), file: "docs/payment-states.svg")
    }

    @Test func `the states of a request are those of the samples`() throws {
        try MadeText.expect(
            StandingTable.lines().map { $0 + "\n" }.joined(), file: "Tests/Fixtures/standing.md")
    }

    @Test func `the reasons of nodes are those of the program`() throws {
        let passing = NodeReason.allCases.filter(\.isPassing).map { "`\($0.name)`" }
        let final = NodeReason.allCases.filter { !$0.isPassing }.map { "`\($0.name)`" }
        try MadeText("reasons of nodes", in: "docs/NODES.md").expect(
            ["| what follows | reasons |", "|---|---|"] + [
                "| the transaction stays signed and is sent again | "
                    + passing.joined(separator: ", ") + " |",
                "| the request ends | " + final.joined(separator: ", ") + " |",
            ])
    }

    @Test func `the refusals are those of the program`() throws {
        // Lines of at most 120 columns.
        var lines = [""]
        for (index, code) in Refusal.Code.allCases.enumerated() {
            let isLast = index == Refusal.Code.allCases.count - 1
            let word = "`\(code.rawValue)`" + (isLast ? "." : ",")
            let last = lines[lines.count - 1]
            if last.count + word.count >= 120 {
                lines.append(word)
            } else {
                lines[lines.count - 1] += (last.isEmpty ? "" : " ") + word
            }
        }
        try MadeText("refusals", in: "docs/EVENTS.md").expect(lines)
    }

    @Test func `the fields of events are those that are written`() throws {
        var order: [String] = []
        var found: [String: (kind: String, fields: FieldList)] = [:]
        for payload in Samples.all {
            let data = payload.data
            let type = type(of: data).type
            var fields = Self.fields(of: data)
            // The document has those of a request in a table of their own.
            for index in fields.fields.indices where fields.fields[index].name == "request" {
                fields.fields[index].inner = FieldList()
            }
            if let before = found[type] {
                found[type]?.fields = before.fields.merged(with: fields)
            } else {
                order.append(type)
                found[type] = (payload.isInput ? "input" : "outcome", fields)
            }
        }
        #expect(order.sorted() == Payload.types)
        try MadeText("fields of events", in: "docs/EVENTS.md").expect(
            ["| event | kind | fields |", "|---|---|---|"]
                + order.compactMap { type in
                    found[type].map { "| `\(type)` | \($0.kind) | \($0.fields.text) |" }
                })
    }

    @Test func `the fields of a request are those that are written`() throws {
        var order: [String] = []
        var parameters: [String: FieldList] = [:]
        var whole = FieldList()
        for request in Samples.requests {
            var fields = FieldList(of: request)
            let index = try #require(fields.fields.firstIndex { $0.name == "parameters" })
            let method = request.action.method
            let inner = fields.fields[index].inner
            if parameters[method] == nil { order.append(method) }
            parameters[method] = parameters[method].map { $0.merged(with: inner) } ?? inner
            fields.fields[index].inner = FieldList()
            whole = whole.fields.isEmpty ? fields : whole.merged(with: fields)
        }
        try MadeText("fields of a request", in: "docs/EVENTS.md").expect(
            ["| | fields |", "|---|---|", "| a request | \(whole.text) |"]
                + order.map { "| `parameters` of `\($0)` | \(parameters[$0]?.text ?? "") |" })
    }

    private static func fields<Value: EventData>(of value: Value) -> FieldList {
        FieldList(of: value)
    }
}
