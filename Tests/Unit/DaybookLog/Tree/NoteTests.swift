import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookLog

/// The vectors are the documented examples of Go's `golang.org/x/mod/sumdb/note`.
struct NoteTests {
    private static let text = """
        If you think cryptography is the answer to your problem,
        then you don't know what your problem is.

        """
    private static let peterLine = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIu"
        + "GUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
    private static let enochLine = "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOH"
        + "p+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
    private static let peterText =
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    private let peter: NoteVerifierKey
    private let enoch: NoteVerifierKey

    init() throws {
        peter = try NoteVerifierKey(Self.peterText)
        enoch = try NoteVerifierKey(
            "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop")
    }

    @Test func `the example key signs as the example says`() throws {
        let coded = try #require(Base64.decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"))
        guard let key = Ed25519PrivateKey(SecretBytes(copying: Bytes(coded.dropFirst()))) else {
            Issue.record("32 bytes are a key")
            return
        }
        let name = try NoteKeyName("PeterNeumann")
        let signing = NoteSigningKey(name: name, privateKey: key)
        #expect(signing.verifierKey == peter)
        #expect(signing.verifierKey.text == Self.peterText)
        let note = SignedNote(
            text: Bytes(Self.text.utf8), signatures: [signing.signature(of: Bytes(Self.text.utf8))])
        #expect(note.bytes == Bytes((Self.text + "\n" + Self.peterLine).utf8))
    }

    @Test func `the example notes verify, and unknown signatures say nothing`() throws {
        let one = try note(Self.text + "\n" + Self.peterLine)
        #expect(try one.verified(by: [peter]) == [peter])
        #expect(try one.verified(by: [enoch, peter]) == [peter])
        let two = try note(Self.text + "\n" + Self.peterLine + Self.enochLine)
        #expect(two.text == Bytes(Self.text.utf8))
        #expect(try two.verified(by: [peter]) == [peter])
        #expect(try two.verified(by: [enoch]) == [enoch])
        #expect(try two.verified(by: [enoch, peter]) == [peter, enoch])
        let strangers = String(repeating: Self.enochLine, count: 99)
        let many = try note(Self.text + "\n" + strangers + Self.peterLine)
        #expect(try many.verified(by: [peter]) == [peter])
    }

    @Test func `a note without a known signature, or with a wrong one, is refused`() throws {
        let one = try note(Self.text + "\n" + Self.peterLine)
        #expect(throws: NoteError.noKnownSignature) { try one.verified(by: []) }
        #expect(throws: NoteError.noKnownSignature) { try one.verified(by: [enoch]) }
        let wrong = NoteError.wrongSignature(keyID: peter.id)
        #expect(throws: wrong) {
            try note("If" + "\n\n" + Self.peterLine).verified(by: [peter])
        }
        let longer = Self.peterLine.replacing("cElZ", with: "cElZABCD")
        #expect(throws: wrong) {
            try note(Self.text + "\n" + Self.enochLine + longer).verified(by: [enoch, peter])
        }
        #expect(throws: wrong) {
            try note(Self.text + "\n" + Self.peterLine + longer).verified(by: [peter])
        }
        // Of two keys with one name and id, the first alone is meant.
        let other = Self.peterLine.replacing("PeterNeumann", with: "Peter")
        #expect(throws: NoteError.noKnownSignature) {
            try note(Self.text + "\n" + other).verified(by: [peter])
        }
    }

    @Test func `a key that signed twice counts once`() throws {
        let twice = try note(Self.text + "\n" + Self.peterLine + Self.peterLine)
        #expect(try twice.verified(by: [peter]) == [peter])
    }

    @Test func `every flipped bit of a note is refused`() throws {
        let bytes = Bytes((Self.text + "\n" + Self.peterLine).utf8)
        for index in bytes.indices {
            for bit in 0..<8 as Range<UInt8> {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(throws: NoteError.self, "\(index).\(bit)") {
                    try SignedNote(changed).verified(by: [peter])
                }
            }
        }
    }

    @Test func `every beginning of a note is refused`() throws {
        let bytes = Bytes((Self.text + "\n" + Self.peterLine).utf8)
        for end in bytes.indices {
            #expect(throws: NoteError.self) { try SignedNote(Bytes(bytes[..<end])) }
        }
    }

    @Test func `a text that is no note is refused with the reason`() throws {
        let good = Self.text + "\n" + Self.peterLine
        let cases: [(String, NoteError)] = [
            ("", .notText), ("\n", .unsigned), (Self.text, .unsigned),
            (Self.text + "\n", .unsigned), (good + "\n", .unsigned),
            (String(good.dropLast()), .notText), ("\u{1}" + good, .notText),
            (good.replacing("\n", with: "\r\n"), .notText), ("\t" + good, .notText),
            (good + "Unexpected line.\n", .malformedSignature(line: 5)),
            (good.replacing("—", with: "-"), .malformedSignature(line: 4)),
            (good.replacing("— P", with: "—P"), .malformedSignature(line: 4)),
            (good.replacing("— P", with: "—  P"), .malformedSignature(line: 4)),
            (good.replacing("=\n", with: "= \n"), .malformedSignature(line: 4)),
            (good.replacing("=\n", with: "\n"), .malformedSignature(line: 4)),
            (good.replacing("nAM=", with: "nAN="), .malformedSignature(line: 4)),
            (good.replacing("PeterN", with: "Peter N"), .malformedSignature(line: 4)),
            (good.replacing("PeterN", with: "Peter+N"), .malformedSignature(line: 4)),
            (good.replacing("PeterN", with: "Peter\u{3000}N"), .malformedSignature(line: 4)),
            (Self.text + "\n— PeterNeumann x08gow==\n", .malformedSignature(line: 4)),
            (
                Self.text + "\n" + String(repeating: Self.peterLine, count: 101),
                .tooManySignatures(limit: 100)
            ),
        ]
        for (text, error) in cases {
            #expect(throws: error, "\(text)") { try note(text) }
        }
        #expect(throws: NoteError.notText) { try SignedNote([0xff] + Bytes(good.utf8)) }
        let long = Bytes(repeating: 0x61, count: 256 * 1024)
        #expect(throws: NoteError.tooLong(bytes: long.count + 1, limit: long.count)) {
            try SignedNote(long + [0x0a])
        }
    }

    @Test func `the text of a note may have blank lines`() throws {
        let text = "\na\n\n\nb\n"
        let read = try note(text + "\n" + Self.peterLine)
        #expect(read.text == Bytes(text.utf8))
        #expect(read.bytes == Bytes((text + "\n" + Self.peterLine).utf8))
    }

    @Test func `a key's text has one spelling, and no part of it is a key`() throws {
        let text = Bytes(Self.peterText.utf8)
        for start in text.indices {
            for end in start...text.count where start > 0 || end < text.count {
                let part = String(decoding: text[start..<end], as: UTF8.self)
                #expect(throws: NoteError.self) { try NoteVerifierKey(part) }
            }
        }
        for index in text.indices {
            for bit in 0..<7 as Range<UInt8> {
                var changed = text
                changed[index] ^= 1 << bit
                let string = String(decoding: changed, as: UTF8.self)
                #expect(throws: NoteError.self) { try NoteVerifierKey(string) }
            }
        }
        for wrong in [
            Self.peterText.replacing("c74f20a3", with: "C74F20A3"), Self.peterText + "\n",
            // A key that is too long, under an id that fits it.
            "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
        ] {
            #expect(throws: NoteError.malformedKey) { try NoteVerifierKey(wrong) }
        }
        // A key of an unknown type, under an id that fits it.
        #expect(throws: NoteError.otherKeyType(found: 0x65, expected: 1)) {
            try NoteVerifierKey(
                "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
        }
    }

    @Test func `a name is not empty and has no space, plus or control character`() {
        for wrong in ["", " ", "a b", "a+b", "a\n", "\u{0}", "a\u{a0}b", "a\u{2028}", "\u{85}"] {
            #expect(throws: NoteError.malformedName) { try NoteKeyName(wrong) }
        }
        #expect(NoteKeyName.ofLog([0x0a, 0xff]).bytes == Bytes("daybook/0aff".utf8))
        #expect(throws: Never.self) { try NoteKeyName("daybook/0aff") }
    }

    private func note(_ text: String) throws -> SignedNote {
        try SignedNote(Bytes(text.utf8))
    }
}
