import DaybookEncoding
import Foundation
import Testing

/// How much memory a JSON text can make its reader take.
struct JSONMemoryTests {
    /// The smallest text of which values are counted, so that the tests are quick.
    private static let size = 6 << 20

    /// A list that repeats a value, as long as a node's answer may be.
    private static func list(of item: String, bytes: Int = size) -> Bytes {
        let item = Bytes((item + ",").utf8)
        var text = Bytes()
        text.reserveCapacity(bytes + item.count)
        text.append(UInt8(ascii: "["))
        while text.count < bytes - item.count { text += item }
        text[text.count - 1] = UInt8(ascii: "]")
        return text
    }

    /// The texts that take most memory for their length.
    static let greedy = [
        "0", "[]", "[0]", "[[[[0]]]]", #"{"":0}"#, #"{"a":{"b":0}}"#, "1234567890123456",
        #""0123456789abcdef""#, #"{"a":"0123456789abcdef"}"#,
    ]

    @Test(arguments: greedy)
    func `an item that takes much more memory than its text is refused`(item: String) {
        let text = Self.list(of: item)
        let error = #expect(throws: JSONError.self) { try JSON.parse(text) }
        #expect(error?.reason == .tooManyValues)
    }

    @Test func `a short text is read, however much its values take`() throws {
        for item in Self.greedy {
            _ = try JSON.parse(Self.list(of: item, bytes: 64 << 10))
        }
    }

    @Test func `a long list is read if only its used parts are kept`() throws {
        let entry = #"{"satoshis":600,"txid":"\#(String(repeating: "ab", count: 32))","index":0,"#
            + #""blockindex":2,"height":102,"address":"yVNkHdAriKGWDRFW6qzMTotsEMBNt5U9Um"}"#
        let value = try JSON.parse(Self.list(of: entry), keeping: ["txid", "height"])
        #expect(value.arrayValue?.count == (Self.size - 1) / (entry.utf8.count + 1))
    }

    @Test func `no text makes its reader take more than four times as much`() async {
        await #expect(processExitsWith: .success) {
            let size = Self.size
            let before = Self.peak()
            for item in Self.greedy { _ = try? JSON.parse(Self.list(of: item)) }
            var escaped = Bytes(repeating: UInt8(ascii: "a"), count: size)
            escaped.replaceSubrange(0..<3, with: Bytes(#""\n"#.utf8))
            escaped[size - 1] = UInt8(ascii: "\"")
            precondition((try? JSON.parse(escaped)) != nil, "a long text is one value")
            let taken = Self.peak() - before
            precondition(taken <= 4 * size, "\(taken) bytes for \(size)")
        }
    }

    @Test func `nor does one of 32 MiB, as long as a node's answer may be`() async {
        await #expect(processExitsWith: .success) {
            let size = 32 << 20
            let before = Self.peak()
            for item in ["[]", #"{"":0}"#, #"{"a":{"b":0}}"#] {
                _ = try? JSON.parse(Self.list(of: item, bytes: size))
            }
            let taken = Self.peak() - before
            precondition(taken <= 4 * size, "\(taken) bytes for \(size)")
        }
    }

    /// The most memory that this process has had at once, in bytes.
    private static func peak() -> Int {
        var usage = rusage()
        // The first parameter is RUSAGE_SELF, whose type differs from library to library.
        getrusage(.init(0), &usage)
        return Int(usage.ru_maxrss) << 10
    }
}
