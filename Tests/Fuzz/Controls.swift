import DaybookDomain
import DaybookEncoding
import DaybookLinks

extension Harness {
    /// Parsers with a bug planted in each: a fuzzer that does not find these finds nothing.
    static let controls: [Harness] = [
        .magicWord, .longInteger, .lostSign, .lengthOffByOne, .claimedLength, .endlessLoop,
        .trailingByte, .deepTrap, .lostAnswer, .openDoor,
    ]

    /// Four bytes in the right order end it.
    private static let magicWord = Harness("magic-word", longest: 64) { bytes in
        guard bytes.count >= 4, bytes[0] == 0xde, bytes[1] == 0xad, bytes[2] == 0xbe else { return }
        precondition(bytes[3] != 0xef, "the magic word")
    }

    /// A reader of CBOR that lets pass an integer in more bytes than it takes.
    private static let longInteger = Harness("long-integer", longest: 64) { bytes in
        var lenient = bytes
        if bytes.count >= 2, bytes[0] == 0x18, bytes[1] < 24 { lenient = Bytes(bytes.dropFirst()) }
        guard let value = try? CBOR.decode(lenient) else { return }
        try law("a value has one spelling", value.encoded() == bytes)
    }

    /// A reader of JSON that loses the sign of numbers.
    private static let lostSign = Harness("lost-sign", longest: 64) { bytes in
        guard let json = try? JSON.parse(bytes), let value = try? CBOR.from(json) else { return }
        var read = value
        if case .negative(let magnitude) = value { read = .unsigned(magnitude + 1) }
        try law("a value is recorded without loss", read == value)
    }

    /// A count before bytes that is taken at its word, and one byte too far.
    private static let lengthOffByOne = Harness("length-off-by-one", longest: 64) { bytes in
        guard let count = bytes.first, count >= 8, Int(count) <= bytes.count else { return }
        let sum = bytes.withUnsafeBufferPointer { buffer in
            let start = buffer.baseAddress ?? UnsafePointer(bitPattern: 1)!
            return (1...Int(count)).reduce(0) { $0 &+ Int(start[$1]) }
        }
        try law("sums are no less than nothing", sum >= 0)
    }

    /// Memory for as much as four bytes claim.
    private static let claimedLength = Harness("claimed-length", longest: 64) { bytes in
        guard bytes.count >= 6, bytes[0] == 0x5a, bytes[5] == 0x01 else { return }
        let length = bytes[1...4].reduce(0) { $0 << 8 | Int($1) }
        let memory = Bytes(repeating: bytes[5], count: length)
        try law("there is as much as was claimed", memory.count == length)
    }

    /// A step of nothing is never at the end.
    private static let endlessLoop = Harness("endless-loop", longest: 64) { bytes in
        guard bytes.count >= 3, bytes[0] == UInt8(ascii: "L") else { return }
        var place = 1
        while place < bytes.count { place += Int(bytes[place]) }
    }

    /// A reader of events' data that does not look behind its end.
    private static let trailingByte = Harness("trailing-byte", longest: 64) { bytes in
        let begun = (0...bytes.count).lazy.compactMap {
            try? CBOR.decode(Bytes(bytes.prefix($0)))
        }
        guard let value = begun.first else { return }
        try law("nothing follows a value", value.encoded().count == bytes.count)
    }

    /// A fault behind a whole valid link, which only a fuzzer that learns comes to.
    private static let deepTrap = Harness(
        "deep-trap", longest: 256,
        words: ["dashwallet://request=address&account=1&sender=ab"]
    ) { bytes in
        guard case .request(let request) = Links.parse(bytes) else { return }
        guard case .address(let account) = request.action else { return }
        try law("there are three accounts", account < 3)
    }
}
