package import DaybookEncoding

extension EventRecord {
    /// Decodes an event and checks that it is the one that belongs at a position of a log.
    package static func decode(
        _ bytes: Bytes, at position: UInt64, ofLog logID: Bytes
    ) throws(LogError) -> EventRecord {
        let record: EventRecord
        do {
            record = try decode(bytes)
        } catch {
            if case .formatTooNew(let found) = error {
                throw LogError.tooNew(.event, found: found, known: LogVersions.format)
            }
            throw LogError.damaged(position: position, reason: "\(error)")
        }
        if record.position != position {
            throw LogError.damaged(position: position, reason: "it holds another position")
        }
        if !record.isOf(log: logID) {
            throw LogError.damaged(position: position, reason: "it belongs to another log")
        }
        return record
    }

    /// Decodes events that follow each other from a position on.
    package static func decode(
        _ events: [Bytes], from position: UInt64, ofLog logID: Bytes
    ) throws(LogError) -> [EventRecord] {
        var records: [EventRecord] = []
        records.reserveCapacity(events.count)
        for bytes in events {
            let next = position + UInt64(records.count)
            records.append(try decode(bytes, at: next, ofLog: logID))
        }
        return records
    }
}
