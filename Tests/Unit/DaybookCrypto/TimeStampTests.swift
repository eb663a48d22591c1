import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookCrypto

/// `openssl ts` makes the answers, and knows nothing of our reader.
struct TimeStampTests {
    private let authority: StampAuthority
    private let request = TimeStampRequest(
        digest: SHA256.hash(Bytes("a note".utf8)), nonce: 0xfedc_ba98_7654_3210)

    init() throws {
        authority = try StampAuthority.shared.get()
    }

    @Test(arguments: [(0, "00"), (1, "01"), (0x7f, "7f"), (0x80, "0080"), (0x1234, "1234")])
    func `a nonce is the shortest integer`(_ number: UInt64, _ content: String) {
        #expect(Hex.encode(TimeStampRequest.integer(number)) == content)
    }

    @Test func `openssl reads a request`() throws {
        let folder = try TemporaryFolder()
        try Data(request.bytes).write(to: URL(fileURLWithPath: "\(folder.path)/request"))
        let run = try ProgramRun([
            "openssl", "ts", "-query", "-in", "\(folder.path)/request", "-text",
        ])
        for words in [
            "Version: 1", "Hash Algorithm: sha256", "Nonce: 0xFEDCBA9876543210",
            "Certificate required: yes",
        ] {
            #expect(run.output.contains(words), "\(run.output)")
        }
    }

    @Test(arguments: [StampAuthority.Kind.good, .lone, .sha512])
    func `an honest stamp is verified with a root alone`(_ kind: StampAuthority.Kind) throws {
        let token = try token(kind)
        let signer = try token.verify(by: try trusted(authority.root))
        let name = kind == .lone ? "lone" : "signer"
        #expect(signer.name == "O=Daybook's tests,CN=\(name)")
        #expect(signer.certificate.count == SHA256.length)
        // The same from its bytes, as a log has them.
        let again = try TimeStampToken(token.bytes)
        #expect(again == token)
        try again.check(isOf: request.digest)
        #expect(throws: TimeStampError.otherImprint) {
            try again.check(isOf: SHA256.hash(Bytes("another note".utf8)))
        }
        let now = UInt64(Date().timeIntervalSince1970) * 1_000_000
        #expect((now - 60_000_000...now + 60_000_000).contains(token.time))
    }

    @Test func `an issuer or the signer itself may be trusted without the root`() throws {
        for file in [authority.issuer, authority.signer] {
            _ = try token(.good).verify(by: try trusted(file))
        }
    }

    @Test func `a certificate that expired after the stamp spoils nothing`() throws {
        let token = try token(.past)
        #expect(Timestamp.seconds(token.time) == "2020-09-13T12:26:40Z")
        _ = try token.verify(by: try trusted(authority.root))
    }

    @Test(arguments: [
        (StampAuthority.Kind.expired, TimeStampError.expired), (.foreign, .otherRoot),
        (.unfit, .otherPurpose), (.weak, .weakCertificate), (.small, .weakCertificate),
        (.sha1, .weakDigest("sha1")), (.md5, .weakDigest("md5")), (.bare, .noSigner),
    ])
    func `a stamp of the wrong authority is not verified`(
        _ kind: StampAuthority.Kind, _ error: TimeStampError
    ) throws {
        let token = try token(kind)
        #expect(throws: error) { try token.verify(by: try trusted(authority.root)) }
    }

    @Test func `a good stamp does not count for another root`() throws {
        let token = try token(.good)
        #expect(throws: TimeStampError.otherRoot) {
            try token.verify(by: try trusted(authority.otherRoot))
        }
    }

    @Test(arguments: [
        (StampAuthority.Kind.imprint, TimeStampError.otherImprint), (.nonce, .otherNonce),
        (.weakImprint, .weakDigest("sha1")),
        (.refusal, .refused("Message digest algorithm is not supported.")),
    ])
    func `an answer to something else is refused`(
        _ kind: StampAuthority.Kind, _ error: TimeStampError
    ) throws {
        let answer = try authority.answer(kind, to: request.bytes)
        #expect(throws: error) { try TimeStampToken(answer: answer, to: request) }
    }

    @Test func `a refusal without words has the name of its reason`() {
        // Rejection (2), with the bit of timeNotAvailable (14).
        let rejection: Bytes = [0x30, 9, 0x30, 7, 0x02, 1, 2, 0x03, 2, 1, 2]
        #expect(throws: TimeStampError.notAnAnswer) {
            try TimeStampToken(answer: Bytes(rejection.dropLast()), to: request)
        }
        #expect(throws: TimeStampError.refused("timeNotAvailable")) {
            try TimeStampToken(answer: [0x30, 10, 0x30, 8, 2, 1, 2, 3, 3, 1, 0, 2], to: request)
        }
        #expect(throws: TimeStampError.refused("status 3")) {
            try TimeStampToken(answer: [0x30, 5, 0x30, 3, 2, 1, 3], to: request)
        }
    }

    @Test func `a change of any byte is noticed, and nothing crashes`() throws {
        let token = try token(.good)
        let trusted = try trusted(authority.root)
        var unnoticed = 0
        for index in token.bytes.indices {
            var changed = token.bytes
            changed[index] ^= 1 << UInt8(index % 8)
            guard let read = try? TimeStampToken(changed) else { continue }
            if (try? read.verify(by: trusted)) != nil { unnoticed += 1 }
        }
        // The parts outside the signature: versions, parameters, the issuer's own certificate.
        #expect(unnoticed < 40, "\(unnoticed) of \(token.bytes.count)")
        for count in [0, 1, 7, token.bytes.count - 1] {
            #expect(throws: TimeStampError.notAToken) {
                try TimeStampToken(Bytes(token.bytes.prefix(count)))
            }
        }
        #expect(throws: TimeStampError.notAToken) { try TimeStampToken(token.bytes + [0]) }
        let long = Bytes(repeating: 0, count: TimeStampToken.mostBytes + 1)
        let error = TimeStampError.tooLong(bytes: 65_537, limit: 65_536)
        #expect(throws: error) { try TimeStampToken(long) }
        #expect(throws: error) { try TimeStampToken(answer: long, to: request) }
    }

    @Test(arguments: 0..<4)
    func `bytes that are cut, repeated and replaced never count as another stamp`(
        _ seed: UInt64
    ) throws {
        let answer = try authority.answer(.lone, to: request.bytes)
        let token = try TimeStampToken(answer: answer, to: request)
        let trusted = try trusted(authority.root)
        var random = Seeded(seed)
        for round in 0..<500 {
            var bytes = round % 2 == 0 ? answer : token.bytes
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, at + Int.random(in: 0..<40, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.removeSubrange(at..<max(end, min(at + 1, bytes.count - 1)))
                case 1: bytes.insert(contentsOf: bytes[at..<end], at: at)
                case 2: bytes[at] = UInt8.random(in: 0...255, using: &random)
                default: bytes[at] &+= 1
                }
            }
            for read in [
                try? TimeStampToken(bytes), try? TimeStampToken(answer: bytes, to: request),
            ] {
                guard let read, (try? read.verify(by: trusted)) != nil else { continue }
                #expect((read.time, read.digest) == (token.time, token.digest), "\(seed)/\(round)")
            }
        }
    }

    @Test(arguments: [
        ("20261127203059Z", "2026-11-27T20:30:59.000000Z"),
        ("20261127203059.5Z", "2026-11-27T20:30:59.500000Z"),
        ("20261127203059.123456789Z", "2026-11-27T20:30:59.123456Z"),
    ])
    func `a time is read to the microsecond`(_ text: String, _ time: String) {
        #expect(TimeStampToken.time(Bytes(text.utf8)).map(Timestamp.text) == time)
    }

    @Test(arguments: [
        "", "Z", "20261127203059", "20261127203059+0100", "20261327203059Z", "19691231235959Z",
        "20261127203059.Z", "2026112720305éZ", "20261127203059.1x3Z", "9999-1-1-1-1-1-1-1Z",
    ])
    func `a text that is no time in UTC is refused`(_ text: String) {
        #expect(TimeStampToken.time(Bytes(text.utf8)) == nil)
    }

    @Test func `a file of certificates has at least one, and nothing broken`() throws {
        let root = try Bytes(Data(contentsOf: URL(fileURLWithPath: authority.root)))
        let other = try Bytes(Data(contentsOf: URL(fileURLWithPath: authority.otherRoot)))
        // One of several is enough.
        let both = try TrustedCertificates(pem: Bytes("some words\n".utf8) + other + root)
        _ = try token(.good).verify(by: both)
        let beginning = "-----BEGIN CERTIFICATE-----\n"
        let end = "-----END CERTIFICATE-----\n"
        let wrong = [
            "", "words", beginning, beginning + "AAAA\n" + end,
            beginning + "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"
                + String(repeating: "0", count: 32) + "\n\nAAAA\n" + end,
        ]
        for text in wrong {
            #expect(throws: TimeStampError.malformedCertificates, "\(text)") {
                try TrustedCertificates(pem: Bytes(text.utf8))
            }
            if text.isEmpty || text == "words" { continue }
            #expect(throws: TimeStampError.malformedCertificates, "\(text)") {
                try TrustedCertificates(pem: root + Bytes(text.utf8))
            }
        }
        let limit = TrustedCertificates.mostBytes
        #expect(throws: TimeStampError.tooLong(bytes: limit + 1, limit: limit)) {
            try TrustedCertificates(pem: Bytes(repeating: 0x20, count: limit + 1))
        }
    }

    private func token(_ kind: StampAuthority.Kind) throws -> TimeStampToken {
        try TimeStampToken(
            answer: try authority.answer(kind, to: request.bytes), to: request)
    }

    private func trusted(_ path: String) throws -> TrustedCertificates {
        try TrustedCertificates(pem: Bytes(Data(contentsOf: URL(fileURLWithPath: path))))
    }
}
