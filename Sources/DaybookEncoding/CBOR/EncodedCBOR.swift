/// A value where it lies in its bytes, which were held to the one spelling once and for all.
///
/// What events and rows say is read from here straight into their types: a tree of values between
/// the two would cost as much again.
package struct EncodedCBOR: Sendable {
    /// The bytes that it lies in, with others around it.
    let buffer: Bytes
    /// Where in them it begins.
    let start: Int

    /// The value that begins at an offset of bytes that were checked.
    init(_ buffer: Bytes, at start: Int) {
        self.buffer = buffer
        self.start = start
    }

    /// The value that the bytes spell, if this is its one spelling and nothing follows it.
    package init(_ bytes: Bytes) throws(CBORError) {
        let end = try Self.checkedEnd(bytes.span, at: 0)
        if end < bytes.count { throw CBORError(offset: end, reason: .trailingBytes) }
        self.init(bytes, at: 0)
    }

    /// A value as it is written.
    package init(_ value: CBOR) {
        self.init(value.encoded(), at: 0)
    }

    /// The value's one spelling.
    package var bytes: Bytes {
        // What begins where the buffer does is all that it spells.
        start == 0 ? buffer : Bytes(buffer[start..<Self.end(buffer.span, at: start)])
    }

    /// The value as a tree, for whoever wants all of it.
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

// MARK: - Taking values apart

extension EncodedCBOR {
    /// The integer, when it fits.
    package var intValue: Int64? {
        let head = head
        switch head.type {
        case .unsigned: return Int64(exactly: head.argument)
        case .negative: return Int64(exactly: head.argument).map(~)
        default: return nil
        }
    }

    /// The integer from zero up.
    package var uintValue: UInt64? {
        let head = head
        return head.isOf(.unsigned) ? head.argument : nil
    }

    /// The text.
    package var textValue: String? {
        let head = head
        guard head.isOf(.text) else { return nil }
        let text = buffer.span.extracting(head.end..<(head.end + head.count))
        return unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes.
    package var bytesValue: Bytes? {
        let head = head
        guard head.isOf(.bytes) else { return nil }
        return Bytes(buffer[head.end..<(head.end + head.count)])
    }

    /// The truth value.
    package var boolValue: Bool? {
        switch buffer[start] {
        case 0xf4: false
        case 0xf5: true
        default: nil
        }
    }

    /// The values of an array.
    package var arrayValue: [EncodedCBOR]? {
        let head = head
        guard head.isOf(.array) else { return nil }
        var next = head.end
        return (0..<head.count).map { _ in
            defer { next = Self.end(buffer.span, at: next) }
            return EncodedCBOR(buffer, at: next)
        }
    }

    /// Whether this is a map, which `EncodedMap` takes apart.
    package var isMap: Bool { head.isOf(.map) }

    private var head: CBORHead { CBORHead(buffer.span, at: start) }

    /// Where the item ends that begins at an offset.
    static func end(_ bytes: Span<UInt8>, at start: Int) -> Int {
        var end = start
        var items: UInt64 = 1
        while items > 0 {
            let head = CBORHead(bytes, at: end)
            end = head.end
            items -= 1
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
