/// The cost of work for a node.
package struct Cost: Equatable, Sendable {
    /// Requests, each of which waits for its answer before the next is sent.
    package let trips: Int
    /// The calls in them.
    package let calls: Int
    /// By the clock; the only one of these figures that is not the same in each run.
    package let milliseconds: Int

    /// A cost by its figures.
    package init(trips: Int, calls: Int, milliseconds: Int) {
        self.trips = trips
        self.calls = calls
        self.milliseconds = milliseconds
    }
}

extension Cost: CustomStringConvertible {
    /// The figures for people.
    package var description: String { "\(trips) round trips, \(calls) calls" }
}

/// Why a scene can't be measured: something in it did not end as it has to.
package struct SceneFault: Error, CustomStringConvertible {
    /// The fault.
    package let description: String

    init(_ description: String) { self.description = description }
}
