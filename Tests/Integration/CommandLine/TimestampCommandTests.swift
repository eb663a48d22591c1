import DaybookEncoding
import Foundation
import TestSupport
import Testing

/// `timestamp`, by an authority on loopback, and what the audit makes of its stamps.
struct TimestampCommandTests {
    private let scene: Scene
    private let authority: StampAuthority
    private let served: StampAuthority.Served

    init() throws {
        scene = try Scene()
        authority = try StampAuthority.shared.get()
        served = try authority.serve()
    }

    @Test func `a stamp covers the checkpoint's events, for an auditor with its root`() throws {
        let checkpoint = try scene.done("checkpoint", "--json").object
        let size = try #require(checkpoint["size"]?.intValue)
        let stamp = try stamped(.good, "--certificates", authority.root).object
        #expect(stamp["root"] == checkpoint["root"])
        #expect(stamp["checkpoint"] == checkpoint["position"])
        #expect(stamp["position"]?.intValue == size + 1)
        #expect(stamp["by"]?.stringValue == Self.signer)
        let export = scene.path("log.daybook")
        try scene.done("export", export)
        for source in [scene.home, export] {
            let (found, status) = try verified(source, authority.root)
            #expect(status == 0)
            #expect(found["stamps"]?.text() == #"{"count":1,"verified":1}"#)
            let coverage = try #require(found["coverage"]?.arrayValue)
            #expect(coverage.map { $0["from"]?.intValue } == [0, size])
            #expect(coverage.map { $0["to"]?.intValue } == [size - 1, size + 1])
            #expect(coverage[0]["by"]?.stringValue == Self.signer)
            #expect(coverage[0]["at"] == stamp["at"])
            #expect(coverage[1]["by"] == .null)
        }
        // A part has the notes of checkpoints between the events that it leaves out.
        let part = scene.path("part.daybook")
        try scene.done("export", part, "--from", "\(size + 1)")
        let (found, _) = try verified(part, authority.root)
        #expect(found["coverage"]?.arrayValue?.map { $0["by"] } == [.string(Self.signer), .null])
        try scene.expectCleanReplay()
    }

    @Test func `a stamp without certificates counts for nothing, and the result says so`() throws {
        try scene.done("checkpoint")
        let answer = try stamped(.good)
        #expect(try answer.object["by"] == nil)
        #expect(answer.error.contains("the stamp's signature was not checked"))
        let (found, status) = try verified(scene.home)
        #expect(status == 0)
        #expect(found["coverage"]?.arrayValue?.count == 1)
        #expect(try gaps(found).contains("1 time stamps, for want of certificates"))
        let (other, otherStatus) = try verified(scene.home, authority.otherRoot)
        #expect(otherStatus == 0)
        #expect(other["coverage"]?.arrayValue?.first?["by"] == .null)
        #expect(try gaps(other).contains("1 of 1 time stamps lead to no given certificate"))
    }

    @Test(arguments: [
        (StampAuthority.Kind.garbage, Int32(5), "authorityAnswerInvalid"),
        (.empty, 5, "authorityAnswerInvalid"), (.long, 5, "authorityAnswerInvalid"),
        (.page, 5, "authorityAnswerInvalid"), (.missing, 5, "authorityAnswerInvalid"),
        (.moved, 5, "authorityAnswerInvalid"), (.broken, 5, "authorityRefused"),
        (.refusal, 5, "authorityRefused"), (.imprint, 1, "stampMismatch"),
        (.nonce, 1, "stampMismatch"), (.weakImprint, 1, "stampInvalid"),
        (.sha1, 1, "stampInvalid"), (.md5, 1, "stampInvalid"), (.expired, 1, "stampInvalid"),
        (.unfit, 1, "stampInvalid"), (.weak, 1, "stampInvalid"), (.bare, 1, "stampInvalid"),
        (.foreign, 1, "stampUntrusted"),
    ])
    func `an answer that is no good stamp is an error, and nothing is recorded`(
        _ kind: StampAuthority.Kind, _ status: Int32, _ code: String
    ) throws {
        try scene.done("checkpoint")
        let before = try scene.daybook("log", "--json").lines.count
        let answer = try scene.daybook(
            "timestamp", "--tsa", served.url(kind), "--certificates", authority.root)
        answer.expectFailure(status, code, of: "timestamp")
        #expect(try scene.daybook("log", "--json").lines.count == before)
        if kind == .refusal {
            #expect(answer.lastWords.contains("Message digest algorithm is not supported."))
        }
    }

    @Test func `an authority that is not there, and calls that are wrong, have named errors`()
        throws
    {
        try scene.daybook("timestamp", "--tsa", served.url()).expectFailure(
            1, "checkpointMissing", of: "timestamp")
        try scene.done("checkpoint")
        try scene.daybook("timestamp", "--tsa", "http://127.0.0.1:1/").expectFailure(
            5, "authorityUnreachable", of: "timestamp")
        for url in ["http://me:secret@127.0.0.1/", "ftp://127.0.0.1/", "127.0.0.1", "http://"] {
            let answer = try scene.daybook("timestamp", "--tsa", url)
            answer.expectFailure(2, "invalidAuthorityURL", of: "timestamp")
            #expect(!answer.error.contains("secret"))
        }
        let none = try scene.write("none.pem", "no certificate")
        for (file, code) in [
            (none, "invalidCertificates"), (scene.path("missing"), "unreadableFile"),
        ] {
            try scene.daybook("timestamp", "--tsa", served.url(), "--certificates", file)
                .expectFailure(2, code, of: "timestamp")
        }
        let answer = try scene.replay("verify", scene.home, "--tsa-certificates", none)
        answer.expectFailure(2, "invalidCertificates", of: "verify")
    }

    @Test func `a store's clock that lies is a finding`() throws {
        try scene.done("checkpoint")
        let position = try #require(
            try stamped(.future, "--certificates", authority.root).object["position"])
        let (found, status) = try verified(scene.home, authority.root)
        #expect(status == 1)
        let faults = try #require(found["violations"]?.arrayValue)
        #expect(faults.map { $0["rule"]?.stringValue } == ["timeDisagrees"])
        #expect(faults.first?["position"] == position)
        #expect(try verified(scene.home).status == 0)
    }

    @Test func `a certificate that expired later counts, and events after its stamp lie`() throws {
        try scene.done("checkpoint")
        _ = try stamped(.past, "--certificates", authority.root)
        let (found, status) = try verified(scene.home, authority.root)
        #expect(status == 1)
        #expect(
            found["coverage"]?.arrayValue?.first?["at"]?.stringValue
                == "2020-09-13T12:26:40.000000Z")
        // An event of 2026 can't have been stamped in 2020, and neither can the stamp's own.
        let faults = try #require(found["violations"]?.arrayValue)
        #expect(faults.map { $0["rule"]?.stringValue } == ["timeDisagrees", "timeDisagrees"])
    }

    @Test(arguments: [
        (StampAuthority.Kind.sha1, "the stamp's digest sha1 is too weak or unknown"),
        (.expired, "a certificate had expired at the stamp's time"),
        (.unfit, "the signer's certificate is not for time stamps"),
        (.weak, "a certificate has a key or a digest that is too weak"),
    ])
    func `a bad stamp that was recorded unchecked is a finding`(
        _ kind: StampAuthority.Kind, _ message: String
    ) throws {
        try scene.done("checkpoint")
        let position = try stamped(kind).object["position"]
        let (found, status) = try verified(scene.home, authority.root)
        #expect(status == 1)
        let fault = try #require(found["violations"]?.arrayValue?.first)
        #expect(fault["rule"]?.stringValue == "stampInvalid")
        #expect(fault["position"] == position)
        #expect(fault["message"]?.stringValue == message)
        #expect(found["coverage"]?.arrayValue?.first?["by"] == .null)
    }

    @Test func `the report says what is stamped`() throws {
        try scene.done("checkpoint")
        _ = try stamped(.good, "--certificates", authority.root)
        let page = scene.path("page.html")
        let answer = try scene.replay(
            "report", scene.home, "--out", page, "--tsa-certificates", authority.root)
        #expect(answer.status == 0, "\(answer.error)")
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.contains("1 of 1 time stamps lead to a given certificate."))
        #expect(text.contains("stamped by O=Daybook"))
    }

    private static let signer = "O=Daybook's tests,CN=signer"

    private func stamped(_ kind: StampAuthority.Kind, _ words: String...) throws -> ProgramRun {
        let answer = try Programs.run(
            [Programs.daybook, "timestamp", "--json", "--tsa", served.url(kind)] + words,
            environment: ["DAYBOOK_HOME": scene.home])
        try #require(answer.status == 0, "\(answer.error)")
        return answer
    }

    private func verified(
        _ source: String, _ certificates: String? = nil
    ) throws -> (json: JSON, status: Int32) {
        let option = certificates.map { ["--tsa-certificates", $0] } ?? []
        let answer = try Programs.run(
            ["\(Programs.folder)/daybook-replay", "verify", source, "--json"] + option)
        return (try answer.object, answer.status)
    }

    private func gaps(_ found: JSON) throws -> [String] {
        try #require(found["notChecked"]?.arrayValue).compactMap { $0["why"]?.stringValue }
    }
}
