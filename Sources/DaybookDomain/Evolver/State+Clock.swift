import DaybookEncoding

extension State {
    /// What waits for a time goes on waiting for as long as it still had to before the clock was
    /// set back.
    mutating func evolve(_ data: ClockSet, _ event: Event) {
        func moved(_ time: UInt64) -> UInt64 {
            guard time > data.from else { return min(time, event.time) }
            let (moved, isTooLate) = event.time.addingReportingOverflow(time - data.from)
            return isTooLate ? .max : moved
        }
        for (key, pointer) in pending.rows() {
            let id = key.second
            guard var row = request(id), let expires = row.expires else { continue }
            pending[key] = nil
            row.expires = moved(expires)
            requests[id] = row
            pending[Pair(moved(expires), id)] = pointer
        }
        for unlock in unlocks.rows() {
            guard let until = unlock.row.lockedUntil else { continue }
            var row = unlock.row
            row.lockedUntil = moved(until)
            unlocks[unlock.key] = row
        }
    }
}
