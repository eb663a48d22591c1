/// Reads tables of comma-separated values (RFC 4180): a line a row, and its cells.
package struct CommaSeparated {
    /// Why a table can't be read: the line, and what is wrong with it.
    package struct Failure: Error, Equatable {
        package let line: Int
        package let reason: String
    }

    private let bytes: Bytes
    private var next = 0
    private var line = 1

    package init(_ bytes: Bytes) { self.bytes = bytes }

    /// The next row that is not empty, with its line's number; nil after the last one.
    package mutating func row() throws(Failure) -> (line: Int, cells: [Bytes])? {
        while next < bytes.count {
            let first = line
            let cells = try cells()
            if cells != [[]] { return (first, cells) }
        }
        return nil
    }

    private mutating func cells() throws(Failure) -> [Bytes] {
        var cells: [Bytes] = []
        while true {
            cells.append(try cell())
            guard next < bytes.count else { return cells }
            let end = bytes[next]
            next += 1
            if end == UInt8(ascii: ",") { continue }
            if end == 0x0d, next < bytes.count, bytes[next] == 0x0a { next += 1 }
            line += 1
            return cells
        }
    }

    /// Reads a cell up to the comma or line break behind it.
    private mutating func cell() throws(Failure) -> Bytes {
        guard next < bytes.count, bytes[next] == UInt8(ascii: "\"") else {
            let start = next
            while next < bytes.count, !Self.endsCell(bytes[next]) { next += 1 }
            return Bytes(bytes[start..<next])
        }
        var cell = Bytes()
        next += 1
        while next < bytes.count {
            let byte = bytes[next]
            next += 1
            if byte == 0x0a { line += 1 }
            guard byte == UInt8(ascii: "\"") else {
                cell.append(byte)
                continue
            }
            guard next < bytes.count, bytes[next] == byte else {
                if next == bytes.count || Self.endsCell(bytes[next]) { return cell }
                throw Failure(line: line, reason: "has a letter behind a quoted cell")
            }
            cell.append(byte)
            next += 1
        }
        throw Failure(line: line, reason: "has a quoted cell without an end")
    }

    private static func endsCell(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == 0x0a || byte == 0x0d
    }
}
