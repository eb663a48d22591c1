/// One thing that every client of a chain must get right, tried out on a running chain.
package struct Check<Driver: Sendable>: Sendable, CustomStringConvertible {
    /// The demand, as a sentence.
    package let name: String
    private let body: @Sendable (Driver) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (Driver) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Tries it out; whatever goes wrong is a failure with a reason.
    package func run(on driver: Driver) async -> CheckResult {
        do {
            try await body(driver)
            return .held
        } catch let impossible as NotPossible {
            return .notPossible(impossible.why)
        } catch {
            return .failed("\(error)")
        }
    }

    package var description: String { name }
}

/// How a check came out.
package enum CheckResult: Equatable, Sendable {
    case held
    /// It is not so; what was seen instead.
    case failed(String)
    /// It can't be tried on this chain; why.
    case notPossible(String)
}

/// Says that a check can't be tried on the chain at hand.
package struct NotPossible: Error {
    let why: String

    package init(_ why: String) {
        self.why = why
    }
}

/// Says what was seen in place of what must be.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

func expect(_ isSo: Bool, _ broken: @autoclosure () -> String) throws(Broken) {
    guard isSo else { throw Broken(description: broken()) }
}

func expect<Value: Equatable>(
    _ what: String, _ seen: Value, is wanted: Value
) throws(Broken) {
    guard seen == wanted else {
        throw Broken(description: "\(what) is \(seen) in place of \(wanted)")
    }
}

func require<Value>(_ value: Value?, _ missing: @autoclosure () -> String) throws(Broken) -> Value {
    guard let value else { throw Broken(description: missing()) }
    return value
}
