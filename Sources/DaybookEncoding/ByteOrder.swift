/// How two runs of bytes compare: byte by byte, a prefix before what it begins.
package enum ByteOrder {
    /// Whether `left` comes before `right`.
    package static func precedes(_ left: Bytes, _ right: Bytes) -> Bool {
        precedes(left.span, right.span)
    }

    /// Whether `left` comes before `right` by their bytes.
    static func precedes(_ left: String.UTF8View, _ right: String.UTF8View) -> Bool {
        precedes(left.span, right.span)
    }

    private static func precedes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        let common = commonPrefix(left, right)
        if common == left.count { return common < right.count }
        if common == right.count { return false }
        return left[common] < right[common]
    }

    /// Whether `bytes` begins with `prefix`.
    package static func begins(_ bytes: Bytes, with prefix: Bytes) -> Bool {
        bytes.count >= prefix.count && commonPrefix(bytes, prefix) == prefix.count
    }

    /// Whether a part of some bytes begins with a text.
    package static func begins(_ bytes: ArraySlice<UInt8>, with prefix: String) -> Bool {
        begins(bytes.span, with: prefix)
    }

    /// Whether bytes that live elsewhere begin with a text.
    package static func begins(_ bytes: Span<UInt8>, with prefix: String) -> Bool {
        let prefix = prefix.utf8.span
        return commonPrefix(bytes, prefix) == prefix.count
    }

    /// Whether a text begins with another one.
    static func begins(_ text: String.UTF8View, with prefix: String.UTF8View) -> Bool {
        let prefix = prefix.span
        return commonPrefix(text.span, prefix) == prefix.count
    }

    /// Whether a part of some bytes is a text.
    package static func areSame(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        bytes.count == text.utf8.count && begins(bytes, with: text)
    }

    /// The first key after all that begin with a prefix; nil if none can come after.
    package static func firstAfterAll(beginningWith prefix: Bytes) -> Bytes? {
        var key = prefix
        while let last = key.popLast() {
            if last < UInt8.max { return key + [last + 1] }
        }
        return nil
    }

    /// Whether two texts are the same bytes.
    static func areSame(_ left: String.UTF8View, _ right: String.UTF8View) -> Bool {
        let count = left.count
        return count == right.count && commonPrefix(left.span, right.span) == count
    }

    /// Whether two runs are the same bytes.
    package static func areSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        let count = left.count
        guard count == right.count else { return false }
        let ours = unsafe left.bytes
        let theirs = unsafe right.bytes
        var different: UInt64 = 0
        var index = 0
        // The loads are in bounds, as below; the last eight may be some that were seen.
        while index + 8 < count {
            different |= unsafe ours.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
                ^ theirs.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        if count >= 8 {
            different |= unsafe ours.unsafeLoadUnaligned(
                fromByteOffset: count - 8, as: UInt64.self)
                ^ theirs.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            return different == 0
        }
        while index < count, left[index] == right[index] { index += 1 }
        return index == count
    }

    private static func commonPrefix(_ left: Bytes, _ right: Bytes) -> Int {
        commonPrefix(left.span, right.span)
    }

    /// How many bytes the two have in common from the start.
    static func commonPrefix(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        let leftBytes = unsafe left.bytes
        let rightBytes = unsafe right.bytes
        let count = min(leftBytes.byteCount, rightBytes.byteCount)
        var index = 0
        // Eight at a time, because replay spends its time in this loop. The loads are in bounds:
        // `index + 8 <= count` and `count` is the shorter one's length; any bits are a UInt64.
        while index + 8 <= count {
            let ours = unsafe leftBytes.unsafeLoadUnaligned(
                fromByteOffset: index, as: UInt64.self)
            let theirs = unsafe rightBytes.unsafeLoadUnaligned(
                fromByteOffset: index, as: UInt64.self)
            let difference = UInt64(littleEndian: ours) ^ UInt64(littleEndian: theirs)
            if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count, left[index] == right[index] {
            index += 1
        }
        return index
    }
}
