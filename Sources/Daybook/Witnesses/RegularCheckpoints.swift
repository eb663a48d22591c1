import DaybookDomain
import DaybookEncoding
import DaybookLog

extension Store {
    /// Makes a checkpoint each time that so many events were recorded since the last one.
    ///
    /// Checkpoints and what is recorded of them are not counted. Ends when its task is cancelled,
    /// or with the store; failures are in the operator's log.
    package nonisolated func makeCheckpoints(every count: UInt64) async {
        while !Task.isCancelled, !feed.isClosed {
            do {
                try await followForCheckpoints(every: count)
            } catch {
                activity.log?.note(.callFailed, reason: DaybookError.from(error).code.rawValue)
                // A log in a database may be there again.
                try? await Task.sleep(for: .seconds(5))
            }
        }
    }

    private nonisolated func followForCheckpoints(every count: UInt64) async throws {
        var next = try await lastCheckpoint()?.position.next ?? 0
        var waiting: UInt64 = 0
        for try await change in changes(from: next, includingSilent: true) {
            while next <= change.position, waiting < count {
                let page = try events(countedFrom: next, limit: Self.countedAtOnce)
                if page.read == 0 { break }
                waiting += page.counted
                next = Position(next.number + page.read)
            }
            guard waiting >= count else { continue }
            next = try await makeRegularCheckpoint().position.next
            waiting = 0
        }
    }

    /// Makes a checkpoint if anything was recorded since the last one.
    package nonisolated func makeLastCheckpoint() async {
        do {
            var next = try await lastCheckpoint()?.position.next ?? 0
            while true {
                let page = try events(countedFrom: next, limit: Self.countedAtOnce)
                if page.read == 0 { return }
                if page.counted > 0 { break }
                next = Position(next.number + page.read)
            }
            // The caller's task may be cancelled, and then nobody would be asked.
            try await Task { _ = try await makeRegularCheckpoint() }.value
        } catch {
            activity.log?.note(.callFailed, reason: DaybookError.from(error).code.rawValue)
        }
    }

    private nonisolated func makeRegularCheckpoint() async throws -> LogCheckpoint {
        let made = try await checkpoint()
        for problem in made.problems {
            activity.log?.note(.witnessFailed, reason: problem.code.rawValue)
        }
        return made
    }

    /// How many events there are from a position on, and how many of them are no checkpoint's.
    private nonisolated func events(
        countedFrom next: Position, limit: Int
    ) throws -> (read: UInt64, counted: UInt64) {
        let records = try log.read { try $0.records(from: next.number, limit: limit) }
        let own = records.count { record in
            [CheckpointMade.type, CheckpointCosigned.type, CheckpointStamped.type].contains {
                Text.equal($0, record.type)
            }
        }
        return (UInt64(records.count), UInt64(records.count - own))
    }

    private static var countedAtOnce: Int { 256 }
}
