extension JSON {
    /// Parses UTF-8 text by the grammar of RFC 8259.
    ///
    /// Refuses a byte order mark, a repeated name, half a surrogate pair, and a text whose value
    /// would take more than three times its memory. If `names` are given, members with other names
    /// are checked and left out.
    package static func parse(
        _ bytes: Bytes, maximumDepth: Int = 32, keeping names: [String]? = nil
    ) throws(JSONError) -> JSON {
        var parser = JSONParser(bytes: bytes, maximumDepth: maximumDepth, keeping: names)
        return try parser.document()
    }

    /// The memory in bytes that a value may take, however short its text is.
    package static let smallMemory = 16 << 20
}

/// The names of an object, to refuse a repeated one.
private struct Names {
    /// Most objects have few names, which are compared faster than they are hashed.
    static let fewest = 16
    /// The memory of a hashed name, beside its bytes.
    static let memory = 96
    private var hashed: Set<Bytes> = []

    /// Adds a name; false if it was added before.
    mutating func insert(_ name: String, after members: [JSON.Member]) -> Bool {
        guard members.count >= Self.fewest else {
            return !members.contains { Text.equal($0.name, name) }
        }
        if hashed.isEmpty { hashed = Set(members.map { Bytes($0.name.utf8) }) }
        return hashed.insert(Bytes(name.utf8)).inserted
    }
}

/// A cursor over the text of a JSON document.
private struct JSONParser {
    let bytes: Bytes
    let maximumDepth: Int
    let names: [String]?
    var offset = 0
    /// The memory that may still be taken, in bytes.
    private var room: Int

    init(bytes: Bytes, maximumDepth: Int, keeping names: [String]?) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.names = names
        room = max(JSON.smallMemory, 3 * bytes.count)
    }

    mutating func document() throws(JSONError) -> JSON {
        skipSpace()
        let value = try value(depth: 0)
        skipSpace()
        guard offset == bytes.count else { throw error(.trailingCharacters) }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error(.unexpectedCharacter)
        }
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [JSON] {
        guard depth < maximumDepth else { throw error(.tooDeep) }
        offset += 1
        skipSpace()
        if try skip(UInt8(ascii: "]")) { return [] }
        try take(Memory.allocation)
        var elements: [JSON] = []
        while true {
            try take(Memory.element)
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if try skip(UInt8(ascii: "]")) { return elements }
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSON.Member] {
        guard depth < maximumDepth else { throw error(.tooDeep) }
        offset += 1
        skipSpace()
        if try skip(UInt8(ascii: "}")) { return [] }
        // Most objects have a few, for which room is made at once.
        let usual = min(names?.count ?? 8, 8)
        try take(Memory.allocation + usual * Memory.member)
        var members: [JSON.Member] = []
        members.reserveCapacity(usual)
        var names = Names()
        while true {
            if members.count >= usual { try take(2 * Memory.member) }
            try member(of: &members, &names, depth: depth)
            skipSpace()
            if try skip(UInt8(ascii: "}")) { return members }
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
    }

    /// Reads a member and adds it, or leaves it out and takes no memory.
    private mutating func member(
        of members: inout [JSON.Member], _ names: inout Names, depth: Int
    ) throws(JSONError) {
        let start = offset
        let before = room
        guard try peek() == UInt8(ascii: "\"") else { throw error(.unexpectedCharacter) }
        let name = try string()
        let isKept = self.names?.contains { Text.equal($0, name) } ?? true
        if isKept {
            if members.count >= Names.fewest { try take(Names.memory + name.utf8.count) }
            guard names.insert(name, after: members) else {
                throw JSONError(offset: start, reason: .duplicateName)
            }
        }
        skipSpace()
        try expect(UInt8(ascii: ":"))
        skipSpace()
        let value = try value(depth: depth + 1)
        if isKept {
            members.append(JSON.Member(name: name, value: value))
        } else {
            room = before
        }
    }

    /// The memory of a value's parts, as Swift and the system's allocator lay them out.
    private enum Memory {
        /// The head of an array or a string, and what the allocator adds at most.
        static let allocation = 64
        /// An element of an array, and as much in the place from which a larger one was moved.
        static let element = 2 * MemoryLayout<JSON>.stride
        static let member = MemoryLayout<JSON.Member>.stride
        /// So many bytes of a string lie in the string itself.
        static let shortString = 15
    }

    private mutating func take(_ memory: Int) throws(JSONError) {
        room -= memory
        guard room >= 0 else { throw error(.tooManyValues) }
    }

    /// Takes the memory of a string of so many bytes.
    private mutating func take(stringOf count: Int) throws(JSONError) {
        if count > Memory.shortString { try take(Memory.allocation + count) }
    }

    private mutating func literal(
        _ spelling: StaticString, _ value: JSON
    ) throws(JSONError) -> JSON {
        for character in spelling.description.utf8 { try expect(character) }
        return value
    }
}

// MARK: - Numbers

extension JSONParser {
    private mutating func number() throws(JSONError) -> JSON {
        let start = offset
        skipIf(UInt8(ascii: "-"))
        if skipIf(UInt8(ascii: "0")) {
            guard !isDigitNext else { throw JSONError(offset: start, reason: .malformedNumber) }
        } else {
            try digits(numberAt: start)
        }
        if skipIf(UInt8(ascii: ".")) { try digits(numberAt: start) }
        if skipIf(UInt8(ascii: "e")) || skipIf(UInt8(ascii: "E")) {
            if !skipIf(UInt8(ascii: "+")) { skipIf(UInt8(ascii: "-")) }
            try digits(numberAt: start)
        }
        try take(stringOf: offset - start)
        return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private var isDigitNext: Bool {
        offset < bytes.count
            && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset])
    }

    /// Passes over one digit or more.
    private mutating func digits(numberAt start: Int) throws(JSONError) {
        guard isDigitNext else { throw JSONError(offset: start, reason: .malformedNumber) }
        while isDigitNext { offset += 1 }
    }
}

// MARK: - Strings

extension JSONParser {
    private mutating func string() throws(JSONError) -> String {
        let start = offset
        offset += 1
        // The text between two escapes is taken in one piece; most strings are one.
        var content = Bytes()
        while true {
            let plain = offset..<endOfPlain(from: offset)
            offset = plain.upperBound
            switch try peek() {
            case UInt8(ascii: "\""):
                offset += 1
                if !content.isEmpty { content += bytes[plain] }
                try take(stringOf: content.isEmpty ? plain.count : content.count)
                let text =
                    content.isEmpty
                    ? Text.utf8String(bytes.span.extracting(plain)) : Text.utf8String(content)
                guard let text else { throw JSONError(offset: start, reason: .invalidUTF8) }
                return text
            case UInt8(ascii: "\\"):
                if content.isEmpty { content.reserveCapacity(endOfString(from: offset) - start) }
                content += bytes[plain]
                try escape(into: &content)
            default:
                throw error(.controlCharacter)
            }
        }
    }

    /// Where the first character stands that is not written for itself in a string.
    private func endOfPlain(from start: Int) -> Int {
        let bytes = bytes.span
        var end = start
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""),
            bytes[end] != UInt8(ascii: "\\") {
            end += 1
        }
        return end
    }

    /// Where the quote is that ends the string; the end of the text if there is none.
    private func endOfString(from start: Int) -> Int {
        let bytes = bytes.span
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(end, bytes.count)
    }

    private mutating func escape(into content: inout Bytes) throws(JSONError) {
        let start = offset
        offset += 1
        let character = try peek()
        offset += 1
        switch character {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(character)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0c)
        case UInt8(ascii: "n"): content.append(0x0a)
        case UInt8(ascii: "r"): content.append(0x0d)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try scalar(escapedAt: start)
            content.append(contentsOf: Bytes(String(Character(scalar)).utf8))
        default: throw JSONError(offset: start, reason: .malformedEscape)
        }
    }

    /// The scalar of one `\uXXXX`, or of two that are a surrogate pair.
    private mutating func scalar(escapedAt start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit(escapedAt: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        let lone = JSONError(offset: start, reason: .loneSurrogate)
        guard UTF16.isLeadSurrogate(first) else { throw lone }
        let second = offset
        guard skipIf(UInt8(ascii: "\\")), skipIf(UInt8(ascii: "u")) else { throw lone }
        let trail = try codeUnit(escapedAt: second)
        guard UTF16.isTrailSurrogate(trail) else { throw lone }
        let pair = UTF16.EncodedScalar([first, trail])
        return UTF16.decode(pair)
    }

    private mutating func codeUnit(escapedAt start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Hex.value(ofDigit: try peek()) else {
                throw JSONError(offset: start, reason: .malformedEscape)
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }
}

// MARK: - Characters

extension JSONParser {
    private func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(offset: offset, reason: reason)
    }

    private func peek() throws(JSONError) -> UInt8 {
        guard offset < bytes.count else { throw error(.truncated) }
        return bytes[offset]
    }

    private mutating func skip(_ character: UInt8) throws(JSONError) -> Bool {
        guard try peek() == character else { return false }
        offset += 1
        return true
    }

    @discardableResult
    private mutating func skipIf(_ character: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == character else { return false }
        offset += 1
        return true
    }

    private mutating func expect(_ character: UInt8) throws(JSONError) {
        guard try skip(character) else { throw error(.unexpectedCharacter) }
    }

    private mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0a, 0x0d: offset += 1
            default: return
            }
        }
    }
}
