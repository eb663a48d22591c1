import DaybookSystem
import Foundation

/// A time stamp authority with certificates of its own; `tools/support/time_stamps.py` is it.
package final class StampAuthority: Sendable {
    /// The one of these tests: its certificates take half a second to make.
    package static let shared = Result { try StampAuthority() }

    /// The kind of answer; the names are the script's.
    package enum Kind: String, CaseIterable, Sendable {
        /// An honest stamp, with the certificates of its signer and its issuer.
        case good
        /// The same with an elliptic key and one certificate, of the root.
        case lone
        /// The same, signed over SHA-512.
        case sha512
        /// By a certificate that has expired, now, and when it had not.
        case expired, past
        /// By a clock that is two hours ahead.
        case future
        /// By a signer of another root; one whose certificate is not for stamps.
        case foreign, unfit
        /// By a certificate that is signed over SHA-1, or with 1024 bits of RSA.
        case weak, small
        /// Signed over SHA-1 and MD5, or of a SHA-1.
        case sha1, md5
        case weakImprint = "weak-imprint"
        /// Of another digest, or for another request.
        case imprint, nonce
        /// Without certificates.
        case bare
        /// No stamp.
        case refusal
        /// Over HTTP alone.
        case silent, slow, garbage, empty, long, page, missing, moved, broken
    }

    /// The certificates to trust.
    package var root: String { "\(folder)/root.pem" }
    /// Certificates of somebody else.
    package var otherRoot: String { "\(folder)/other.pem" }
    /// The authority's certificate, and its issuer's.
    package var signer: String { "\(folder)/signer.pem" }
    package var issuer: String { "\(folder)/issuer.pem" }

    private let folder: String
    private static let script = ["python3", "-B", Repository.path("tools/support/time_stamps.py")]

    private init() throws {
        let folder = try Files.createTemporaryDirectory()
        self.folder = folder
        let made = try ProgramRun(Self.script + ["make", folder])
        if made.status != 0 { throw Failure(output: made.output) }
        // A static value is never released.
        atexit {
            if case .success(let authority) = StampAuthority.shared {
                try? Files.removeTree(authority.folder)
            }
        }
    }

    /// Its answer to a request.
    package func answer(_ kind: Kind, to request: [UInt8]) throws -> [UInt8] {
        let program = try RunningProgram(
            Self.script + ["answer", folder, kind.rawValue], hasInput: true)
        try program.input?.write(request)
        program.input?.close()
        while program.output.waitForMore() {}
        let answer = program.output.take()
        let run = program.end()
        if run.status != 0 { throw Failure(output: run.error) }
        return answer
    }

    /// Answers over HTTP for as long as somebody refers to the result.
    package func serve() throws -> Served {
        let program = try RunningProgram(
            Self.script + ["serve", folder], hasInput: true, errors: .shown)
        guard let url = program.output.line() else {
            throw Failure(output: "the authority has no address")
        }
        return Served(base: url, program: program)
    }

    /// An authority that answers over HTTP.
    package struct Served: Sendable {
        let base: String
        let program: RunningProgram

        /// Where it gives answers of a kind.
        package func url(_ kind: Kind = .good) -> String {
            "\(base)/\(kind.rawValue)"
        }

        /// Waits until it has been asked for an answer that it will not give (`silent`).
        package func waitUntilAsked() { _ = program.output.line() }
    }

    private struct Failure: Error {
        let output: String
    }
}
