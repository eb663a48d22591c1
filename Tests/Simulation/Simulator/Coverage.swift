/// What was reached, and how often.
package struct Coverage: Sendable {
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    mutating func mark(_ name: String) {
        counts[name, default: 0] += 1
    }

    package mutating func add(_ other: Coverage) {
        counts.merge(other.counts) { $0 + $1 }
    }

    package func reached(_ name: String) -> Bool {
        counts[name] != nil
    }
}
