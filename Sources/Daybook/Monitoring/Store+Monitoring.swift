import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

extension Store {
    /// Counts what an operator must know of each event from now on, also of other processes.
    ///
    /// Ends when its task is cancelled, or with the store.
    package nonisolated func followForOperator() async {
        activity.beginFollowing()
        var next: Position?
        while !Task.isCancelled, !feed.isClosed {
            do {
                try await follow(from: &next)
            } catch {
                activity.log?.note(.logUnreadable, reason: DaybookError.from(error).code.rawValue)
                // The log may be readable again, as one in a database that was away.
                try? await Task.sleep(for: .seconds(5))
            }
        }
    }

    private nonisolated func follow(from start: inout Position?) async throws {
        var next = try start ?? lastPosition()?.next ?? 0
        start = next
        for try await change in changes(from: next, includingSilent: true) {
            while next <= change.position {
                let records = try log.read(.published) { log in
                    try log.records(from: next.number, limit: Self.followedAtOnce)
                }
                guard let last = records.last else { break }
                for record in records { try record.event().map(activity.note) }
                next = last.id.next
                start = next
            }
        }
    }

    private static var followedAtOnce: Int { 256 }

    /// Why an operator should look after the store now; nil if it can be read and written.
    package nonisolated func problem() -> DaybookError? {
        do {
            _ = try log.count()
            _ = try readSettings()
            if isReadOnly { throw LogError.openedReadOnly }
            return activity.recentFailure
        } catch {
            return DaybookError.from(error)
        }
    }
}

extension StoreActivity {
    /// The failure of a commit in the last minute, if none has succeeded since.
    var recentFailure: DaybookError? {
        guard let failure = counts.failure,
            Clock.monotonicMicroseconds() < failure.time + OperatorLog.interval
        else { return nil }
        return DaybookError(.init(rawValue: failure.code), .store, failure.message)
    }
}
