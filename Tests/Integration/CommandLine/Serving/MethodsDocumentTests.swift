import DaybookCalls
import Testing
import TestSupport

/// `docs/METHODS.md`, held to the table of methods.
struct MethodsDocumentTests {
    @Test func `every method stands in the document with its parameters`() throws {
        let text = try Repository.text("docs/METHODS.md")
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        for method in Method.all {
            let parameters = method.parameters.map { parameter in
                parameter.isRequired ? "`\(parameter.name)`" : "`\(parameter.name)`?"
            }
            let cell = parameters.map { $0 + " " }.joined()
            let row = "| `\(method.name)` | \(cell)| "
            #expect(
                rows.contains { $0.hasPrefix(row) },
                "missing: \(row)… | \(method.summary) |")
        }
        let named = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        let methods = Set(Method.all.map(\.name))
        for name in named where name.contains(".") || methods.contains(name) {
            #expect(methods.contains(name), "no such method: \(name)")
        }
    }

    @Test func `every method is in the conformance table`() {
        let called = Set(ConformanceStep.all.map(\.method))
        // Subscriptions need a connection, which not every door has.
        let others: Set = ["subscribe", "unsubscribe"]
        #expect(Set(Method.all.map(\.name)).subtracting(called) == others)
    }
}
