/// Unicode's compatibility decomposition (NFKD, UAX 15), which BIP 39 demands of its texts.
///
/// The text may be secret: it is read and written in the memory that the caller gives, and no copy
/// of it is made elsewhere.
package enum Decomposition {
    /// The most bytes that the normal form of a byte can have: U+FDFA becomes 33 in place of 3.
    package static let growth = 11

    /// Writes the normal form of a text in UTF-8, and returns its length.
    ///
    /// `output` has room for `growth` times the text.
    package static func write(
        _ text: Span<UInt8>, to output: inout MutableSpan<UInt8>
    ) throws(DecompositionError) -> Int {
        guard let characters = try? UTF8Span(validating: text) else { throw .notUTF8 }
        var writer = MarkOrder()
        var count = 0
        var scalars = characters.makeUnicodeScalarIterator()
        while let scalar = scalars.next() {
            guard isKnown(scalar) else { throw .unknownCharacter }
            if let place = place(of: scalar.value) {
                for part in table.starts[place]..<table.starts[place + 1] {
                    try writer.add(table.parts[part], to: &output, &count)
                }
            } else if let syllable = Hangul(scalar.value) {
                try writer.add(syllable.leading, to: &output, &count)
                try writer.add(syllable.vowel, to: &output, &count)
                if let trailing = syllable.trailing {
                    try writer.add(trailing, to: &output, &count)
                }
            } else {
                try writer.add(scalar.value, to: &output, &count)
            }
        }
        writer.flush(to: &output, &count)
        return count
    }

    /// The normal form of a text that is no secret, such as a list's word.
    static func normalized(_ text: String) -> Bytes {
        let bytes = Bytes(text.utf8)
        var normal = Bytes(repeating: 0, count: growth * bytes.count)
        var output = normal.mutableSpan
        guard let count = try? write(bytes.span, to: &output) else { return bytes }
        return Bytes(normal.prefix(count))
    }

    /// Whether the table knows the character: a later one may have a decomposition.
    private static func isKnown(_ scalar: Unicode.Scalar) -> Bool {
        guard let age = scalar.properties.age else { return false }
        return age.major < version.major || age.major == version.major && age.minor <= version.minor
    }
}

/// Why a text has no normal form; an error contains nothing of it.
package enum DecompositionError: Error, Equatable, Sendable {
    case notUTF8
    /// A character of a later version of Unicode than other wallets may know.
    case unknownCharacter
    /// More marks on one letter than any language has.
    case tooManyMarks
}

/// Puts the marks on a letter in their canonical order, by classes.
private struct MarkOrder {
    private var marks = InlineArray<32, UInt32>(repeating: 0)
    private var classes = InlineArray<32, UInt8>(repeating: 0)
    private var pending = 0

    mutating func add(
        _ scalar: UInt32, to output: inout MutableSpan<UInt8>, _ count: inout Int
    ) throws(DecompositionError) {
        let mark = Unicode.Scalar(scalar)?.properties.canonicalCombiningClass.rawValue ?? 0
        guard mark > 0 else {
            flush(to: &output, &count)
            Self.write(scalar, to: &output, &count)
            return
        }
        guard pending < marks.count else { throw .tooManyMarks }
        var place = pending
        while place > 0, classes[place - 1] > mark {
            marks[place] = marks[place - 1]
            classes[place] = classes[place - 1]
            place -= 1
        }
        marks[place] = scalar
        classes[place] = mark
        pending += 1
    }

    mutating func flush(to output: inout MutableSpan<UInt8>, _ count: inout Int) {
        for place in 0..<pending {
            Self.write(marks[place], to: &output, &count)
            marks[place] = 0
        }
        pending = 0
    }

    private static func write(
        _ scalar: UInt32, to output: inout MutableSpan<UInt8>, _ count: inout Int
    ) {
        let rest = { (shift: UInt32) in UInt8(truncatingIfNeeded: scalar >> shift & 0x3f | 0x80) }
        func put(_ byte: UInt8) {
            output[count] = byte
            count += 1
        }
        switch scalar {
        case ..<0x80: put(UInt8(scalar))
        case ..<0x800:
            put(UInt8(scalar >> 6 | 0xc0))
            put(rest(0))
        case ..<0x1_0000:
            put(UInt8(scalar >> 12 | 0xe0))
            put(rest(6))
            put(rest(0))
        default:
            put(UInt8(truncatingIfNeeded: scalar >> 18 | 0xf0))
            put(rest(12))
            put(rest(6))
            put(rest(0))
        }
    }
}

/// The parts of a Hangul syllable, which follow from its number.
private struct Hangul {
    let leading: UInt32
    let vowel: UInt32
    let trailing: UInt32?

    init?(_ scalar: UInt32) {
        guard (0xac00...0xd7a3).contains(scalar) else { return nil }
        let index = scalar - 0xac00
        leading = 0x1100 + index / (21 * 28)
        vowel = 0x1161 + index % (21 * 28) / 28
        trailing = index % 28 == 0 ? nil : 0x11a7 + index % 28
    }
}

// MARK: - The table

extension Decomposition {
    /// The characters that have a decomposition, in order, and all parts one after the other.
    private struct Table {
        var scalars: [UInt32] = []
        var starts: [Int] = [0]
        var parts: [UInt32] = []
    }

    private static func place(of scalar: UInt32) -> Int? {
        guard scalar >= 0xa0 else { return nil }
        let scalars = table.scalars
        var (low, high) = (0, scalars.count)
        while low < high {
            let middle = (low + high) / 2
            if scalars[middle] == scalar { return middle }
            if scalars[middle] > scalar { high = middle } else { low = middle + 1 }
        }
        return nil
    }

    /// Unpacks what `tools/dev text-tables` has packed.
    private static let table: Table = {
        var table = Table()
        let bytes = Base64.decodeLeniently(Bytes(packed.utf8)[...]) ?? []
        var offset = 0
        func number() -> UInt32 {
            var (value, shift) = (UInt32(0), UInt32(0))
            while offset < bytes.count {
                defer { offset += 1 }
                value |= UInt32(bytes[offset] & 0x7f) << shift
                if bytes[offset] < 0x80 { break }
                shift += 7
            }
            return value
        }
        var (scalar, last) = (UInt32(0), UInt32(0))
        while offset < bytes.count {
            scalar += number()
            let (count, length) = (number(), number())
            // The lowest bit says that each decomposition is the one before and one more.
            let isCounted = count & 1 == 1
            for place in 0..<(count >> 1) {
                for _ in 0..<length {
                    if isCounted, place > 0 {
                        last += 1
                    } else {
                        let step = number()
                        last = step & 1 == 0 ? last &+ step >> 1 : last &- (step >> 1 + 1)
                    }
                    table.parts.append(last)
                }
                table.scalars.append(scalar)
                table.starts.append(table.parts.count)
                scalar += 1
            }
        }
        return table
    }()
}
