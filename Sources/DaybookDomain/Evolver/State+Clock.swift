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
        for pending in list(Key.pending, PointerRow.self) {
            let id = Key.lastNumber(pending.key)
            guard var row = request(id), let expires = row.expires else { continue }
            remove(pending.key)
            row.expires = moved(expires)
            put(Key.request(id), row)
            put(Key.pending(moved(expires), id), pending.row)
        }
        for unlock in list(Key.unlocks, UnlockRow.self) {
            guard let until = unlock.row.lockedUntil else { continue }
            var row = unlock.row
            row.lockedUntil = moved(until)
            put(unlock.key, row)
        }
    }
}
