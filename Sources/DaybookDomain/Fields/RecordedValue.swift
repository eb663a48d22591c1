package import DaybookChains
package import DaybookEncoding

/// A value of a field, which is no map and no list.
package protocol RecordedValue {
    /// The kind of value in bytes, for errors.
    static var kind: String { get }
    /// The description of a valid value of this kind, for errors.
    static var expected: String { get }
    /// How many bytes it has at most.
    var mostBytes: Int { get }

    init(_ reader: inout CBORReader) throws(Unexpected)
    func write(to output: inout OutputSpan<UInt8>)
}

extension RecordedValue {
    package static var expected: String { kind }
    package var mostBytes: Int { 9 }
}

extension String: RecordedValue {
    package static var kind: String { "text" }
    package var mostBytes: Int { 9 + utf8.count }

    package init(_ reader: inout CBORReader) throws(Unexpected) { self = try reader.text() }

    package func write(to output: inout OutputSpan<UInt8>) { output.append(.text, utf8.span) }
}

extension Bytes: RecordedValue {
    package static var kind: String { "bytes" }
    package var mostBytes: Int { 9 + count }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        self = try reader.byteString()
    }

    package func write(to output: inout OutputSpan<UInt8>) { output.append(.bytes, span) }
}

extension UInt64: RecordedValue {
    package static var kind: String { "an unsigned integer" }

    @inline(__always)
    package init(_ reader: inout CBORReader) throws(Unexpected) {
        self = try reader.argument(.unsigned)
    }

    @inline(__always)
    package func write(to output: inout OutputSpan<UInt8>) { output.append(.unsigned, self) }
}

extension UInt32: RecordedValue {
    package static var kind: String { UInt64.kind }
    package static var expected: String { "32 bits" }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        guard let number = UInt32(exactly: try reader.argument(.unsigned)) else { throw .value }
        self = number
    }

    package func write(to output: inout OutputSpan<UInt8>) {
        output.append(.unsigned, UInt64(self))
    }
}

extension Int64: RecordedValue {
    package static var kind: String { "an integer" }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        let isNegative = reader.isNext(.negative)
        let argument = try reader.argument(isNegative ? .negative : .unsigned)
        guard let number = Int64(exactly: argument) else { throw .kind }
        self = isNegative ? ~number : number
    }

    package func write(to output: inout OutputSpan<UInt8>) {
        self < 0
            ? output.append(.negative, UInt64(bitPattern: ~self))
            : output.append(.unsigned, UInt64(self))
    }
}

extension Bool: RecordedValue {
    package static var kind: String { "true or false" }

    package init(_ reader: inout CBORReader) throws(Unexpected) { self = try reader.flag() }

    package func write(to output: inout OutputSpan<UInt8>) { output.append(self ? 0xf5 : 0xf4) }
}

/// A flag that is set: one that is not set is absent (`FieldCoder.flag`).
struct Presence: RecordedValue {
    static var kind: String { "true or absent" }

    init() {}

    init(_ reader: inout CBORReader) throws(Unexpected) {
        guard try reader.flag() else { throw .value }
    }

    func write(to output: inout OutputSpan<UInt8>) { output.append(0xf5) }
}

/// An amount has one encoding: an integer if it fits in 64 bits, else its big-endian bytes.
extension UInt256: RecordedValue {
    package static var kind: String { "an amount" }
    package var mostBytes: Int { 34 }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        if reader.isNext(.unsigned) {
            self.init(try reader.argument(.unsigned))
            return
        }
        let bytes = try reader.byteString()
        guard bytes.count > 8, bytes.first != 0, let amount = UInt256(bigEndian: bytes) else {
            throw .value
        }
        self = amount
    }

    package func write(to output: inout OutputSpan<UInt8>) {
        if let small = UInt64(exactly: self) {
            output.append(.unsigned, small)
        } else {
            output.append(.bytes, minimalBytes.span)
        }
    }
}

/// An id of an event.
extension RecordedValue where Self: EventID {
    package static var kind: String { UInt64.kind }
    package static var expected: String { "an id" }

    @inline(__always)
    package init(_ reader: inout CBORReader) throws(Unexpected) {
        guard let id = Self(exactly: try reader.argument(.unsigned)) else { throw .value }
        self = id
    }

    @inline(__always)
    package func write(to output: inout OutputSpan<UInt8>) { output.append(.unsigned, number) }
}

extension Position: RecordedValue {}
extension RequestID: RecordedValue {}
extension WalletID: RecordedValue {}
extension SessionID: RecordedValue {}

/// One of some names, as a text.
package protocol RecordedName: RecordedValue, RawRepresentable where RawValue == String {}

extension RecordedName {
    package static var kind: String { String.kind }
    package static var expected: String { "a known \(Self.self)" }
    package var mostBytes: Int { rawValue.mostBytes }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        guard let name = Self(rawValue: try reader.text()) else { throw .value }
        self = name
    }

    package func write(to output: inout OutputSpan<UInt8>) { rawValue.write(to: &output) }
}

extension Chain: RecordedName {}
extension Network: RecordedName {}
extension Remedy: RecordedName {}
extension Refusal.Code: RecordedName {}
extension Request.Proof: RecordedName {}
extension Action.InstantSend: RecordedName {}
extension DecisionMade.Decision: RecordedName {}
extension BindingGranted.Kind: RecordedName {}
extension BroadcastAnswered.Answer: RecordedName {}
extension SetAside.Kind: RecordedName {}
extension RequestRow.Status: RecordedName {}

/// The id of a transaction on Dash or Axe, whose bytes are in display order.
extension TransactionID: RecordedValue {
    package static var kind: String { Bytes.kind }
    package static var expected: String { "an output of a transaction" }

    package var mostBytes: Int { 34 }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        let range = try reader.range(.bytes)
        guard let id = TransactionID(displayed: reader.bytes.span.extracting(range)) else {
            throw .value
        }
        self = id
    }

    package func write(to output: inout OutputSpan<UInt8>) {
        output.append(.bytes, displayed.span)
    }
}

extension Outpoint: Recorded {
    /// The bytes of the transaction's id in display order.
    package var displayed: Bytes { txid.displayed }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        guard let outpoint = try Self.optional(value, by: &coder) else {
            throw coder.wrong("txid", TransactionID.kind)
        }
        self = outpoint
    }

    /// The outpoint whose fields are among those of another value, if it has one.
    static func optional<Coder: FieldCoder>(
        _ value: Outpoint?, by coder: inout Coder
    ) throws(Coder.Failure) -> Outpoint? {
        guard let txid = try coder.optional("txid", value?.txid) else { return nil }
        let index = try coder.field("index", value.map { UInt64($0.index) })
        guard let index = UInt32(exactly: index) else {
            throw coder.wrong("txid", TransactionID.expected)
        }
        return Outpoint(txid, index)
    }
}

/// The lines of a prompt: as values, or where they were recorded.
package enum RecordedLines: Sendable {
    case made([ShownLine])
    /// The list as it was recorded, which is decoded only if somebody reads it.
    case recorded(EncodedCBOR)

    /// The lines as values.
    package var all: [ShownLine] {
        switch self {
        case .made(let lines): lines
        case .recorded(let list): (list.arrayValue ?? []).compactMap(Self.line)
        }
    }

    /// The line that a pair of texts is.
    static func line(_ pair: EncodedCBOR) -> ShownLine? {
        guard let pair = pair.arrayValue, pair.count == 2, let name = pair[0].textValue,
            let text = pair[1].textValue
        else { return nil }
        return ShownLine(name, text)
    }

    /// Whether there are none.
    var isEmpty: Bool {
        if case .made(let lines) = self { lines.isEmpty } else { false }
    }
}

extension RecordedLines: RecordedValue {
    package static var kind: String { "a list of pairs of texts" }

    package var mostBytes: Int {
        switch self {
        case .made(let lines):
            lines.reduce(9) { $0 + 1 + $1.name.mostBytes + $1.text.mostBytes }
        case .recorded(let list): list.range.count
        }
    }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        let list = EncodedCBOR(reader.bytes, at: reader.next)
        for _ in 0..<(try reader.listCount()) {
            guard try reader.count(.array) == 2 else { throw .value }
            for _ in 0..<2 { _ = try reader.textRange() }
        }
        self = .recorded(list)
    }

    package func write(to output: inout OutputSpan<UInt8>) {
        switch self {
        case .made(let lines):
            output.append(.array, UInt64(lines.count))
            for line in lines {
                output.append(.array, 2)
                output.append(.text, line.name.utf8.span)
                output.append(.text, line.text.utf8.span)
            }
        case .recorded(let list): output.append(list.buffer.span.extracting(list.range))
        }
    }
}
