internal import CPostgres
internal import DaybookEncoding

/// A statement, which each connection prepares once.
struct PostgresStatement: Sendable {
    /// The name on the server, which tells the statements of different versions apart.
    let name: String
    /// The text, with `$1` and so on for the values.
    let text: String
}

/// The value of a parameter, in PostgreSQL's binary format.
enum PostgresValue: Sendable {
    case number(UInt64)
    case bytes(Bytes)
    case list([Bytes])
    case numbers([UInt64])

    /// The type, as the catalogue `pg_type` numbers it.
    private var type: Oid {
        switch self {
        case .number: Self.numberType
        case .bytes: Self.byteArrayType
        case .list: 1001
        case .numbers: 1016
        }
    }

    private static let byteArrayType: Oid = 17
    private static let numberType: Oid = 20

    /// How many bytes the value has, about.
    var size: Int {
        switch self {
        case .number: 8
        case .bytes(let bytes): bytes.count
        case .list(let items): items.reduce(0) { $0 + $1.count }
        case .numbers(let numbers): numbers.count * 8
        }
    }

    private var encoded: Bytes {
        switch self {
        case .number(let number): BigEndian.bytes(number)
        case .bytes(let bytes): bytes
        case .list(let items): Self.array(of: Self.byteArrayType, items)
        case .numbers(let numbers):
            Self.array(of: Self.numberType, numbers.map { BigEndian.bytes($0) })
        }
    }

    /// An array of one dimension: the dimensions, whether it has nulls, the type of its items, the
    /// length and the first index; then each item behind its length (`array_send`).
    private static func array(of type: Oid, _ items: [Bytes]) -> Bytes {
        var bytes: Bytes = []
        bytes.reserveCapacity(20 + items.reduce(0) { $0 + 4 + $1.count })
        func add(_ number: UInt32) {
            for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(number >> shift & 0xff)) }
        }
        for number in [items.isEmpty ? 0 : 1, 0, type] { add(number) }
        if !items.isEmpty {
            add(UInt32(items.count))
            add(1)
        }
        for item in items {
            add(UInt32(item.count))
            bytes += item
        }
        return bytes
    }

    /// Calls `body` with what libpq takes for parameters: types, values, lengths and formats.
    static func withArguments<Answer>(
        _ values: [PostgresValue],
        _ body: (
            UnsafeBufferPointer<Oid>, UnsafeBufferPointer<UnsafePointer<CChar>?>,
            UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Int32>
        ) -> Answer
    ) -> Answer {
        let encoded = values.map(\.encoded)
        let lengths = encoded.map { Int32($0.count) }
        let formats = Array<Int32>(repeating: 1, count: values.count)
        let all: Bytes = encoded.flatMap { $0 }
        return unsafe all.withUnsafeBytes { memory in
            var offset = 0
            var places: [UnsafePointer<CChar>?] = unsafe []
            for bytes in encoded {
                // libpq takes a null pointer for NULL; nothing is read at the place of no bytes.
                let base = unsafe memory.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
                let place = unsafe base.map { unsafe $0 + offset }
                unsafe places.append(place?.assumingMemoryBound(to: CChar.self))
                offset += bytes.count
            }
            return unsafe values.map(\.type).withUnsafeBufferPointer { types in
                unsafe places.withUnsafeBufferPointer { places in
                    unsafe lengths.withUnsafeBufferPointer { lengths in
                        unsafe formats.withUnsafeBufferPointer { formats in
                            unsafe body(types, places, lengths, formats)
                        }
                    }
                }
            }
        }
    }
}

/// The rows of an answer, or how many rows a statement wrote.
struct PostgresRows: Sendable {
    /// How many rows it wrote or returned.
    private(set) var count = 0
    private var values: [[Bytes?]] = []

    /// `PG_DIAG_SQLSTATE`, `PG_DIAG_MESSAGE_PRIMARY` and `PG_DIAG_SOURCE_FUNCTION`, whose types
    /// Swift does not take over.
    static let stateField = Int32(UInt8(ascii: "C"))
    static let messageField = Int32(UInt8(ascii: "M"))
    static let functionField = Int32(UInt8(ascii: "R"))

    /// No rows.
    init() {}

    /// The rows of a result in binary format.
    init(_ result: OpaquePointer) {
        count = unsafe Int(String(cString: PQcmdTuples(result))) ?? 0
        let columns = unsafe PQnfields(result)
        values = unsafe (0..<PQntuples(result)).map { row in
            (0..<columns).map { column in
                if unsafe PQgetisnull(result, row, column) == 1 { return nil }
                let start = unsafe UnsafeRawPointer(PQgetvalue(result, row, column))
                let length = unsafe Int(PQgetlength(result, row, column))
                return unsafe Bytes(UnsafeRawBufferPointer(start: start, count: length))
            }
        }
    }

    /// The rows' values; nil for NULL.
    var rows: [[Bytes?]] { values }

    /// The number in a column of a row; nil if there is none, or one that no log has.
    ///
    /// A negative one would be above all others.
    func number(_ row: Int, _ column: Int) -> UInt64? {
        bytes(row, column).flatMap { BigEndian.exactly($0) }
            .flatMap { Position(exactly: $0)?.number }
    }

    /// The bytes in a column of a row; nil if there are none.
    func bytes(_ row: Int, _ column: Int) -> Bytes? {
        guard values.indices.contains(row), values[row].indices.contains(column) else {
            return nil
        }
        return values[row][column]
    }
}
