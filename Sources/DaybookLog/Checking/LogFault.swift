package import DaybookEncoding

/// Something in a log that is not as the events say, and where it lies.
package struct LogFault: Equatable, Sendable {
    /// What is wrong, in words for programs.
    package enum Code: String, Sendable {
        /// LMDB or the system can't read it.
        case unreadable
        /// A page of the file is not what LMDB would have written.
        case pageWrong
        /// What the store says of itself is wrong.
        case metaWrong
        /// An event is missing, not in its one spelling, or not the one that belongs there.
        case eventWrong
        /// An entry that the events call for is missing.
        case missing
        /// There is an entry that no event calls for.
        case extra
        /// An entry is there and says something else than the events.
        case wrong
        /// A checkpoint in the log does not hold.
        case checkpointWrong
    }

    /// What is wrong.
    package let code: Code
    /// The table, such as `events`.
    package let table: String
    /// The entry's key, where there is one.
    package let key: Bytes?
    /// The event at fault, where there is one.
    package let position: UInt64?
    /// One sentence for people, in lower case.
    package let reason: String

    /// A fault at a place.
    package init(
        _ code: Code, _ table: String, key: Bytes? = nil, position: UInt64? = nil,
        _ reason: String
    ) {
        self.code = code
        self.table = table
        self.key = key
        self.position = position
        self.reason = reason
    }
}

/// The first fault of each code and table, so that a report stays short whatever is damaged.
package struct LogFaults: Sendable {
    /// The faults, in the order in which they were found.
    package private(set) var first: [LogFault] = []

    /// No faults.
    package init() {}

    /// Notes a fault, unless one like it is known.
    package mutating func note(_ fault: LogFault) {
        let isKnown = first.contains { $0.code == fault.code && $0.table == fault.table }
        if !isKnown { first.append(fault) }
    }
}
