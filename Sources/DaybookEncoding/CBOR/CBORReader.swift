/// Reads canonical bytes in one pass, if their values are the expected ones in their order.
///
/// It checks what it reads. Anything unexpected ends the reading without a reason, which slower
/// readers find. Its small functions are inlined into those of other modules.
@usableFromInline
package struct CBORReader {
    @usableFromInline package let bytes: [UInt8]
    /// The offset of what is read next.
    @usableFromInline package var next: Int
    /// How many entries of the map that is being read are left.
    @usableFromInline package var left = 0

    /// A reader of the values from an offset on.
    @inlinable
    package init(_ bytes: [UInt8], at start: Int) {
        self.bytes = bytes
        next = start
    }
}

// MARK: - Keys

extension CBORReader {
    /// Reads the name of the next field of a map, if it is this one.
    @inlinable @inline(__always)
    package mutating func take(_ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        let start = next &+ 1
        guard left > 0, bytes.count &- start >= count,
            bytes[next] == MajorType.text.initial | UInt8(truncatingIfNeeded: count),
            isThere(name, at: start)
        else { return false }
        next = start &+ count
        left &-= 1
        return true
    }

    /// Reads the next key of a map, if it is this number below 24.
    @inlinable @inline(__always)
    package mutating func take(_ key: UInt8) -> Bool {
        guard left > 0, next < bytes.count, bytes[next] == key else { return false }
        next &+= 1
        left &-= 1
        return true
    }

    /// Whether a name is what lies at an offset; so many bytes are there.
    @inlinable @inline(__always)
    package func isThere(_ name: StaticString, at start: Int) -> Bool {
        // The compiler knows the name: of these loops, a few comparisons with numbers are left.
        let name = unsafe UnsafeRawBufferPointer(
            start: name.utf8Start, count: name.utf8CodeUnitCount)
        let found = unsafe bytes.span.bytes
        var index = 0
        // The loads are in bounds, and any bits are a number.
        while name.count &- index >= 8 {
            let here = unsafe found.unsafeLoadUnaligned(
                fromUncheckedByteOffset: start &+ index, as: UInt64.self)
            let wanted = unsafe name.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if here != wanted { return false }
            index &+= 8
        }
        if name.count &- index >= 4 {
            let here = unsafe found.unsafeLoadUnaligned(
                fromUncheckedByteOffset: start &+ index, as: UInt32.self)
            let wanted = unsafe name.loadUnaligned(fromByteOffset: index, as: UInt32.self)
            if here != wanted { return false }
            index &+= 4
        }
        while index < name.count {
            let here = unsafe found.unsafeLoadUnaligned(
                fromUncheckedByteOffset: start &+ index, as: UInt8.self)
            if unsafe here != name[index] { return false }
            index &+= 1
        }
        return true
    }
}

// MARK: - Values

extension CBORReader {
    /// Whether the next value is of a major type.
    @inlinable
    package func isNext(_ type: MajorType) -> Bool {
        next < bytes.count && bytes[next] & 0xe0 == type.initial
    }

    /// The argument of the next value: its number, length or count.
    @inlinable @inline(__always)
    package mutating func argument(_ type: MajorType) throws(Unexpected) -> UInt64 {
        try argument(initial: type.initial)
    }

    /// The same of a type, whose bits of the first byte are given.
    @inlinable @inline(__always)
    package mutating func argument(initial: UInt8) throws(Unexpected) -> UInt64 {
        guard next < bytes.count else { throw .kind }
        let short = bytes[next] ^ initial
        guard short < 24 else { return try longArgument(short) }
        next &+= 1
        return UInt64(short)
    }

    /// The same of an argument that follows the first byte, which has this besides its type.
    @usableFromInline
    mutating func longArgument(_ information: UInt8) throws(Unexpected) -> UInt64 {
        let size = 1 << Int(information & 3)
        guard (24..<28).contains(information), bytes.count &- next > size else { throw .kind }
        let argument = CBORHead.number(bytes.span, at: next &+ 1, size: size)
        guard CBORHead.isShortest(argument, size: size) else { throw .kind }
        next &+= 1 &+ size
        return argument
    }

    /// A length or a count, of no more bytes than there are.
    @inlinable @inline(__always)
    package mutating func count(_ type: MajorType) throws(Unexpected) -> Int {
        let count = try argument(type)
        guard count <= UInt64(bytes.count &- next) else { throw .value }
        return Int(truncatingIfNeeded: count)
    }

    /// The count of a list, which is absent where it would be empty.
    package mutating func listCount() throws(Unexpected) -> Int {
        let count = try count(.array)
        guard count > 0 else { throw .value }
        return count
    }

    /// The range of a byte string or of a text, which is not checked to be UTF-8.
    @inlinable @inline(__always)
    package mutating func range(_ type: MajorType) throws(Unexpected) -> Range<Int> {
        let count = try count(type)
        let start = next
        next = start &+ count
        return start..<next
    }

    /// The range of a text.
    package mutating func textRange() throws(Unexpected) -> Range<Int> {
        let range = try range(.text)
        guard Text.isUTF8(bytes.span.extracting(range)) else { throw .value }
        return range
    }

    package mutating func byteString() throws(Unexpected) -> Bytes {
        let range = try range(.bytes)
        return bytes.span.extracting(range).copied
    }

    package mutating func text() throws(Unexpected) -> String {
        let range = try range(.text)
        guard let text = Text.utf8String(bytes.span.extracting(range)) else { throw .value }
        return text
    }

    /// True or false.
    package mutating func flag() throws(Unexpected) -> Bool {
        guard next < bytes.count, bytes[next] & 0xfe == 0xf4 else { throw .kind }
        next += 1
        return bytes[next - 1] == 0xf5
    }
}

/// Why a value is not the one that a reader expected.
@usableFromInline
package enum Unexpected: Error {
    /// It is of another kind, or not there.
    case kind
    /// It is of this kind, but not a possible value.
    case value
}
