/// A value that is read directly from its encoded bytes, which were checked to be canonical.
///
/// Events and rows are decoded from it into their types; building a tree of `CBOR` values first
/// would double the time.
package struct EncodedCBOR: Sendable {
    /// The bytes that contain the value.
    package let buffer: Bytes
    /// The offset of the value.
    package let start: Int

    /// The value that begins at an offset of bytes that were checked.
    package init(_ buffer: Bytes, at start: Int) {
        self.buffer = buffer
        self.start = start
    }

    /// Checks an encoded value; refuses other encodings than the canonical one, and trailing bytes.
    package init(_ bytes: Bytes) throws(CBORError) {
        var end = Self.plainEnd(bytes, at: 0) ?? 0
        if end == 0 { end = try Self.checkedEnd(bytes.span, at: 0) }
        if end < bytes.count { throw CBORError(offset: end, reason: .trailingBytes) }
        self.init(bytes, at: 0)
    }

    /// The encoding of a value.
    package init(_ value: CBOR) {
        self.init(value.encoded(), at: 0)
    }

    /// The value's canonical encoding.
    package var bytes: Bytes {
        // A value at offset 0 is the whole buffer.
        start == 0 ? buffer : buffer.span.extracting(range).copied
    }

    /// The range of the value.
    package var range: Range<Int> { start..<Self.end(buffer.span, at: start) }

    /// The value decoded as a tree.
    package var value: CBOR {
        var next = start
        return Self.value(buffer, at: &next)
    }

    private static func value(_ bytes: Bytes, at next: inout Int) -> CBOR {
        let head = CBORHead(bytes.span, at: next)
        let content = EncodedCBOR(bytes, at: next)
        switch head.type {
        case nil:
            next = head.end
            return content.boolValue.map(CBOR.bool) ?? .null
        case .unsigned:
            next = head.end
            return .unsigned(head.argument)
        case .negative:
            next = head.end
            return .negative(head.argument)
        case .bytes, .text:
            next = head.end + head.count
            return content.bytesValue.map(CBOR.bytes) ?? .text(content.textValue ?? "")
        case .array:
            next = head.end
            return .array((0..<head.count).map { _ in value(bytes, at: &next) })
        case .map:
            next = head.end
            return .map(
                (0..<head.count).map { _ in
                    let key = value(bytes, at: &next)
                    return CBOR.Entry(key: key, value: value(bytes, at: &next))
                })
        }
    }
}

// MARK: - Reading values

extension EncodedCBOR {
    /// The integer, when it fits.
    package var intValue: Int64? { head.intValue }

    /// The integer from zero up.
    package var uintValue: UInt64? { head.uintValue }

    /// The text.
    package var textValue: String? { head.textRange.map { buffer.span.extracting($0).text } }

    /// The bytes.
    package var bytesValue: Bytes? {
        head.bytesRange.map { buffer.span.extracting($0).copied }
    }

    /// The truth value.
    package var boolValue: Bool? { head.boolValue }

    /// The values of an array.
    package var arrayValue: [EncodedCBOR]? {
        guard head.isOf(.array) else { return nil }
        var next = head.end
        return (0..<head.count).map { _ in
            defer { next = Self.end(buffer.span, at: next) }
            return EncodedCBOR(buffer, at: next)
        }
    }

    /// Whether this is a map.
    package var isMap: Bool { head.isMap }

    /// The value of a text key of a map.
    package subscript(key: String) -> EncodedCBOR? {
        let bytes = buffer.span
        let key = key.utf8.span
        let map = head
        guard map.isMap else { return nil }
        var next = map.end
        for _ in 0..<map.count {
            let name = CBORHead(bytes, at: next)
            let value = Self.end(bytes, at: next)
            if let range = name.textRange, ByteOrder.areSame(bytes.extracting(range), key) {
                return EncodedCBOR(buffer, at: value)
            }
            next = Self.end(bytes, at: value)
        }
        return nil
    }

    private var head: CBORHead { CBORHead(buffer.span, at: start) }

    /// The offset after the item with a head.
    @inline(__always)
    static func end(_ bytes: Span<UInt8>, at head: CBORHead) -> Int {
        switch head.type {
        case .unsigned, .negative, nil: head.end
        case .bytes, .text: head.end + head.count
        case .array, .map: end(bytes, at: head.start)
        }
    }

    /// The offset after the item at an offset.
    static func end(_ bytes: Span<UInt8>, at start: Int) -> Int {
        var end = start
        var items: UInt64 = 1
        while items > 0 {
            items -= 1
            // Most items are small numbers and short texts.
            let initial = bytes[end]
            if initial < 24 {
                end += 1
                continue
            }
            if (0x60..<0x78).contains(initial) {
                end += 1 + Int(initial & 0x1f)
                continue
            }
            let head = CBORHead(bytes, at: end)
            end = head.end
            switch head.type {
            case .bytes, .text: end += head.count
            case .array: items += head.argument
            case .map: items += 2 * head.argument
            case .unsigned, .negative, nil: break
            }
        }
        return end
    }
}

// MARK: - Paths

extension EncodedCBOR {
    /// The path to this value from an enclosing one, such as `.outputs[3].txid`.
    package func path(from outer: Int) -> String {
        let bytes = buffer.span
        var path = ""
        var place = outer
        while place < start {
            let head = CBORHead(bytes, at: place)
            let isMap = head.isMap
            var next = head.end
            for index in 0..<head.count {
                let key = CBORHead(bytes, at: next)
                let value = isMap ? Self.end(bytes, at: next) : next
                next = Self.end(bytes, at: value)
                guard start < next else { continue }
                let name = key.textRange.map { bytes.extracting($0).text } ?? ""
                path += isMap ? ".\(name)" : "[\(index)]"
                place = value
                break
            }
        }
        return path
    }
}
