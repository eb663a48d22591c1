import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookNodes

/// An authority on loopback that answers, or does not.
struct StampingClientTests {
    private let authority: StampAuthority.Served
    private let request = TimeStampRequest(digest: SHA256.hash(Bytes("a note".utf8)), nonce: 7)

    init() throws {
        authority = try StampAuthority.shared.get().serve()
    }

    @Test func `an answer is the token that was asked for`() async throws {
        let answer = try await StampingClient(url: authority.url()).answer(to: request)
        try TimeStampToken(answer: answer, to: request).check(isOf: request.digest)
    }

    @Test(arguments: [
        (StampAuthority.Kind.silent, ChainFailure.Reason.noAnswer), (.slow, .noAnswer),
        (.long, .tooLong), (.page, .invalidAnswer), (.missing, .wrongPath), (.moved, .redirect),
        (.broken, .refused),
    ])
    func `an authority that gives no answer has a named failure`(
        _ kind: StampAuthority.Kind, _ reason: ChainFailure.Reason
    ) async throws {
        let isLate = reason == .noAnswer
        let limits = HTTPLimits(
            totalMilliseconds: isLate ? 200 : 15_000, answerBytes: TimeStampToken.mostBytes)
        let failure = await #expect(throws: ChainFailure.self) {
            try await StampingClient(url: authority.url(kind), limits: limits).answer(to: request)
        }
        #expect(failure?.reason == reason, "\(kind): \(String(describing: failure))")
    }

    @Test(arguments: [StampAuthority.Kind.garbage, .empty])
    func `an answer that is none is refused by its reader`(
        _ kind: StampAuthority.Kind
    ) async throws {
        let answer = try await StampingClient(url: authority.url(kind)).answer(to: request)
        #expect(throws: TimeStampError.notAnAnswer) {
            try TimeStampToken(answer: answer, to: request)
        }
    }

    @Test func `where nothing listens, the failure says so`() async throws {
        let failure = await #expect(throws: ChainFailure.self) {
            try await StampingClient(url: "http://127.0.0.1:1/").answer(to: request)
        }
        #expect(failure?.reason == .unreachable)
    }
}
