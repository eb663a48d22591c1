import DaybookEncoding

/// The marks of a block of requests, or of a block of entries of a history.
package struct SearchRow: StateRow {
    /// The marks in order, each once: how far it is behind the one before, as a LEB128 number.
    private var stored: Bytes
    /// Further marks as they came, until the row is encoded.
    private var added: [UInt32] = []
    /// The times of the first and the last of the block, by the clock and not by their places.
    private var first: UInt64?
    private var last: UInt64?

    package init() { stored = [] }

    /// Adds marks, and the time of what has them.
    package mutating func add(_ marks: SearchMarks, at time: UInt64?) {
        if let time {
            first = min(first ?? time, time)
            last = max(last ?? time, time)
        }
        added += marks.values
        // A flood of long links must not take more memory than all the marks that there are.
        if added.count > Self.mostAdded { (stored, added) = (merged, []) }
    }

    private static let mostAdded = 4096

    /// Whether something of the block may be of a period; `end` is not in it.
    package func mayBe(from start: UInt64?, to end: UInt64?) -> Bool {
        if let start, let last, last < start { return false }
        if let end, let first, first >= end { return false }
        return true
    }

    /// Calls `body` with each mark, some of them twice; returns false if the row can't be read.
    package func each(_ body: (UInt32) -> Void) -> Bool {
        added.forEach(body)
        let bytes = stored.span
        var (index, mark) = (0, UInt32(0))
        while index < bytes.count {
            var step = UInt32(bytes[index])
            index += 1
            // Hardly any mark is 128 or more behind the one before.
            if step > 0x7f {
                step &= 0x7f
                guard Self.readRest(of: &step, bytes, at: &index) else { return false }
            }
            mark &+= step
            guard mark < 1 << SearchMarks.bits else { return false }
            body(mark)
        }
        return true
    }

    /// Adds the further bytes of a number, of which the first has been read.
    private static func readRest(
        of step: inout UInt32, _ bytes: Span<UInt8>, at index: inout Int
    ) -> Bool {
        for shift: UInt32 in [7, 14] {
            guard index < bytes.count else { return false }
            let byte = bytes[index]
            index += 1
            step |= UInt32(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return true }
        }
        return false
    }

    /// All marks as they are stored.
    private var merged: Bytes {
        if added.isEmpty { return stored }
        var marks = MarkSet()
        _ = each { marks.insert($0) }
        var bytes = Bytes()
        bytes.reserveCapacity(stored.count + added.count)
        var before: UInt32 = 0
        marks.each { mark in
            var step = mark - before
            while step > 0x7f {
                bytes.append(UInt8(truncatingIfNeeded: step) | 0x80)
                step >>= 7
            }
            bytes.append(UInt8(step))
            before = mark
        }
        return bytes
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.first == right.first && left.last == right.last && left.merged == right.merged
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        last = try coder.optional("last", value?.last)
        first = try coder.optional("first", value?.first)
        stored = try coder.field("marks", value?.merged)
    }
}
