package import DaybookEncoding

/// A value that is recorded as a map, whose fields it names once: for reading and for writing.
package protocol Recorded {
    /// Reads the fields, or writes those of a value and returns it.
    ///
    /// They are named in the order of the encoding: shorter names before longer ones, and names of
    /// one length by their bytes. Their names are written by hand and never change their meaning.
    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure)

    /// Writes the value as a map.
    func write(to writer: inout FieldWriter)
}

/// Reads the fields of a map, or writes them.
///
/// A reader takes nothing and returns what it read; a writer returns what it was given.
package protocol FieldCoder {
    /// Why reading failed; `Never` of a writer.
    associatedtype Failure: Error

    /// A field that may be absent.
    mutating func optional<Value: RecordedValue>(
        _ name: StaticString, _ value: Value?
    ) throws(Failure) -> Value?

    /// A map that may be absent. A reader hands `value` on, which few types need to be read.
    mutating func optionalMap<Value: Recorded>(
        _ name: StaticString, _ value: Value?
    ) throws(Failure) -> Value?

    /// A list of maps. An empty list is absent, so that it has one encoding.
    mutating func list<Item: Recorded>(
        _ name: StaticString, _ items: [Item]?
    ) throws(Failure) -> [Item]

    /// A list of values. An empty list is absent.
    mutating func values<Value: RecordedValue>(
        _ name: StaticString, _ values: [Value]?
    ) throws(Failure) -> [Value]

    /// The lines of a prompt. An empty list is absent.
    mutating func lines(
        _ name: StaticString, _ lines: RecordedLines?
    ) throws(Failure) -> RecordedLines

    /// The failure that names a field and what it should be.
    func wrong(_ name: StaticString, _ expected: String) -> Failure
}

extension FieldCoder {
    package mutating func lines(
        _ name: StaticString, _ lines: RecordedLines?
    ) throws(Failure) -> RecordedLines {
        try optional(name, lines?.isEmpty == true ? nil : lines) ?? .made([])
    }

    /// A field that every such value has.
    @inline(__always)
    package mutating func field<Value: RecordedValue>(
        _ name: StaticString, _ value: Value?
    ) throws(Failure) -> Value {
        guard let value = try optional(name, value) else { throw wrong(name, Value.kind) }
        return value
    }

    /// A flag. False is absent, so that it has one encoding.
    @inline(__always)
    package mutating func flag(_ name: StaticString, _ value: Bool?) throws(Failure) -> Bool {
        try optional(name, value == true ? Presence() : nil) != nil
    }

    /// A SHA-256 digest: 32 bytes.
    mutating func optionalDigest(
        _ name: StaticString, _ value: Bytes?
    ) throws(Failure) -> Bytes? {
        guard let bytes = try optional(name, value) else { return nil }
        guard bytes.count == 32 else { throw wrong(name, "32 bytes") }
        return bytes
    }

    /// The same where it must be there.
    mutating func digest(_ name: StaticString, _ value: Bytes?) throws(Failure) -> Bytes {
        guard let digest = try optionalDigest(name, value) else { throw wrong(name, Bytes.kind) }
        return digest
    }

    /// A map that every such value has.
    package mutating func map<Value: Recorded>(
        _ name: StaticString, _ value: Value?
    ) throws(Failure) -> Value {
        guard let value = try optionalMap(name, value) else { throw wrong(name, "a map") }
        return value
    }
}

extension Recorded {
    package func write(to writer: inout FieldWriter) {
        writer.map(self)
    }

    /// The canonical encoding.
    package func encoded() -> Bytes {
        var writer = FieldWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads a value from bytes that were checked; errors name the field below `path`.
    package init(_ record: EncodedCBOR, path: StaticString = "data") throws(FieldError) {
        if let value = Self.read(record.buffer, at: record.start)?.value {
            self = value
        } else {
            var fields = Fields(record, path: path)
            try self.init(nil, by: &fields)
        }
    }

    /// Reads a value from bytes that nobody has checked.
    package init(_ bytes: Bytes, path: StaticString) throws(FieldError) {
        if let (value, end) = Self.read(bytes, at: 0), end == bytes.count {
            self = value
            return
        }
        guard let record = try? EncodedCBOR(bytes) else {
            throw FieldError(field: "\(path)", expected: "canonical CBOR")
        }
        try self.init(record, path: path)
    }

    /// The value that begins at an offset, and where it ends; nil if the fields are not the
    /// expected ones or not canonical, which `Fields` then explains.
    static func read(_ bytes: Bytes, at start: Int) -> (value: Self, end: Int)? {
        var reader = CBORReader(bytes, at: start)
        guard let value: Self = try? reader.map(nil) else { return nil }
        return (value, reader.next)
    }
}
