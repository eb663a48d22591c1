import DaybookEncoding
import TestSupport
import Testing

@testable import DaybookDomain

/// Events and rows are read in one pass; other bytes, and all errors, are the slower reader's.
struct FieldReaderTests {
    /// Both readers' results for bytes.
    private struct Both<Value: Recorded & Equatable> {
        let atOnce: Value?
        let byName: Value?

        init(_ bytes: Bytes) {
            let read = Value.read(bytes, at: 0)
            atOnce = read.flatMap { $0.end == bytes.count ? $0.value : nil }
            byName = (try? EncodedCBOR(bytes)).flatMap { record in
                var fields = Fields(record, path: "data")
                return try? Value(nil, by: &fields)
            }
        }
    }

    private func check<Value: Recorded & Equatable>(
        _ value: Value, _ random: inout Seeded, _ what: Comment
    ) {
        let bytes = value.encoded()
        let both = Both<Value>(bytes)
        #expect(both.atOnce == value && both.byName == value, what)
        for _ in 0..<200 {
            var changed = bytes
            for _ in 0...random.below(2) {
                let place = random.below(changed.count)
                changed[place] = UInt8(random.below(256))
            }
            let read = Both<Value>(changed)
            if read.atOnce != nil { #expect(read.atOnce == read.byName, what) }
            // Only the reader by names passes over a name that it does not know.
            if read.byName?.encoded() == changed { #expect(read.atOnce == read.byName, what) }
        }
    }

    @Test func `both readers read the same of every event, and of bytes that were changed`() {
        var random = Seeded(11)
        for payload in Samples.all + Samples.sparse {
            let data = payload.data
            check(data, &random, "\(type(of: data).type)")
        }
    }

    @Test func `both readers read the same of every row, and of bytes that were changed`() {
        var random = Seeded(12)
        for sample in RowSample.all {
            check(sample.full, &random, "\(sample)")
            check(sample.sparse, &random, "\(sample)")
        }
    }

    @Test func `every event of the golden logs is read at once and written as it was`() throws {
        for version in ["v1"] {
            for bytes in try Fixture.hexLines("logs/\(version)/session.hex") {
                let record = try CBOR.decode(bytes)
                let data = try #require(record[12])
                let type = try #require(record[5]?.textValue)
                let read = try Payload(type: type, version: 1, data: EncodedCBOR(data))
                let payload = try #require(read)
                #expect(payload.data.encoded() == data.encoded())
                expectReadAtOnce(payload.data)
            }
        }
    }

    private func expectReadAtOnce<Data: EventData>(_ data: Data) {
        #expect(Data.read(data.encoded(), at: 0)?.value == data)
    }

    @Test func `names of every length are told apart`() {
        let names: [StaticString] = [
            "a", "b", "ab", "abc", "abd", "abcd", "abcde", "abcdefg", "abcdefgh", "abcdefgi",
            "abcdefghi", "abcdefghijklmnop", "abcdefghijklmnoq", "abcdefghijklmnopqrstuvw",
        ]
        for name in names {
            let field = CBOR.text("\(name)").encoded() + [7]
            for other in names {
                for count in 0...field.count {
                    let number = Self.number(other, in: Array(field.prefix(count)))
                    let isThere = "\(name)" == "\(other)" && count == field.count
                    #expect(number == (isThere ? 7 : nil), "\(name) \(other) \(count)")
                }
            }
        }
    }

    /// The number of a field of a map of one.
    private static func number(_ name: StaticString, in field: Bytes) -> UInt64? {
        var reader = CBORReader([0xa1] + field, at: 0)
        return try? reader.map(Numbered(name: name, number: nil)).number
    }

    private struct Numbered: Recorded {
        let name: StaticString
        let number: UInt64?

        init(name: StaticString, number: UInt64?) { (self.name, self.number) = (name, number) }

        init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
            name = value?.name ?? ""
            number = try coder.field(name, value?.number)
        }
    }

    @Test func `numbers of every length are written and read, and longer spellings refused`() {
        let borders: [UInt64] = [0, 23, 24, 0xff, 0x100, 0xffff, 0x1_0000, 1 << 32 - 1, 1 << 32]
        for number in borders + [.max, UInt64(Int64.max)] {
            let bytes = ClockSet(from: number).encoded()
            #expect(bytes == CBOR.record(["from": .unsigned(number)]).encoded())
            #expect(ClockSet.read(bytes, at: 0)?.value == ClockSet(from: number))
            let head = Bytes([0xa1, 0x64] + "from".utf8)
            let all = BigEndian.bytes(number)
            for (initial, size) in [(0x18, 1), (0x19, 2), (0x1a, 4), (0x1b, 8)] as [(UInt8, Int)] {
                let spelled = head + [initial] + all.suffix(size)
                let read = ClockSet.read(spelled, at: 0)?.value
                #expect(read == (spelled == bytes ? ClockSet(from: number) : read))
                #expect((read != nil) == ((try? EncodedCBOR(spelled)) != nil))
            }
        }
        for number in [Int64.min, -25, -24, -1, 0, 23, 24, .max] {
            let answered = BroadcastAnswered(answer: .refused, code: number)
            #expect(BroadcastAnswered.read(answered.encoded(), at: 0)?.value == answered)
        }
    }

    @Test func `a field of a newer program is passed over, and one twice is refused`() throws {
        let data = CBOR.record(["url": .text("myapp://"), "zone": .text("?")])
        #expect(CallbackEmitted.read(data.encoded(), at: 0) == nil)
        #expect(try CallbackEmitted(EncodedCBOR(data)) == CallbackEmitted(url: "myapp://"))
        let twice: Bytes = [0xa2] + [0x63, 0x75, 0x72, 0x6c, 0x60] + [0x63, 0x75, 0x72, 0x6c, 0x60]
        #expect(CallbackEmitted.read(twice, at: 0) == nil)
        #expect(throws: FieldError(field: "row", expected: "canonical CBOR")) {
            try CallbackEmitted(twice, path: "row")
        }
    }

    @Test func `a list that says it is long reserves no memory for that`() {
        // 2^31 signatures, of which none is there.
        let bytes: Bytes = [0xa1, 0x6a] + Bytes("signatures".utf8) + [0x9a, 0x80, 0, 0, 0]
        #expect(SignatureMade.read(bytes, at: 0) == nil)
    }
}
