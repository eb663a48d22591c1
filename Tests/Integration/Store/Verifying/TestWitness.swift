import DaybookCrypto
import DaybookEncoding
import DaybookLog
import NodeServer
import Synchronization
import Testing

@testable import Daybook

/// A witness on 127.0.0.1 that keeps the rules, or breaks them as a test wants.
final class TestWitness: Sendable {
    /// A way to answer a request.
    enum Manner: Sendable {
        case honest, silent, slow, unknowing, refusing, failing, talkative
        /// Its cosignature has a wrong bit.
        case wrongSignature
        /// Its cosignature is of another note.
        case otherNote
        /// Its cosignature is by another key.
        case otherKey
        /// It names a size that it does not have.
        case otherSize(UInt64)
        /// Its clock is wrong by an hour.
        case wrongClock
    }

    private struct State {
        var manner = Manner.honest
        var last: TreeHead?
        var requests = 0
        var rules: WitnessRules?
    }

    private let state = Mutex(State())
    private let signer: WitnessSigningKey
    private let other: WitnessSigningKey
    private let clock: @Sendable () -> UInt64
    private let server = Mutex<LocalServer?>(nil)

    init(_ byte: UInt8 = 1, name: String = "w", clock: @escaping @Sendable () -> UInt64) throws {
        signer = try Self.signer(byte, name)
        other = try Self.signer(byte &+ 100, name)
        self.clock = clock
        let made = try LocalServer { [weak self] path, body in
            guard let self, path == "/add-checkpoint" else {
                return LocalServer.Answer(404, "text/plain", [])
            }
            return self.answer(body)
        }
        server.withLock { $0 = made }
    }

    fileprivate static func signer(_ byte: UInt8, _ name: String) throws -> WitnessSigningKey {
        let seed = SecretBytes(copying: Bytes(repeating: byte, count: 32))
        guard let key = Ed25519PrivateKey(seed) else { throw NoteError.malformedKey }
        return WitnessSigningKey(name: try NoteKeyName(name), privateKey: key)
    }

    var key: WitnessKey { signer.key }
    var url: String { server.withLock { $0?.url ?? "" } }
    var requests: Int { state.withLock { $0.requests } }
    var last: TreeHead? { state.withLock { $0.last } }

    func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

    /// Tells it of a log; it knows all of them that were not told of.
    func know(_ key: String) throws {
        let rules = WitnessRules(logs: [try NoteVerifierKey(key)])
        state.withLock { $0.rules = rules }
    }

    private func answer(_ body: Bytes) -> LocalServer.Answer {
        state.withLock { state in
            state.requests += 1
            switch state.manner {
            case .silent: return .silence
            case .slow: return .slow
            case .unknowing: return LocalServer.Answer(404, "text/plain", [])
            case .refusing: return LocalServer.Answer(403, "text/plain", [])
            case .failing: return LocalServer.Answer(500, "text/plain", [])
            case .talkative: return LocalServer.Answer(200, "text/plain", Bytes("hello\n".utf8))
            case .otherSize(let size):
                return LocalServer.Answer(409, "text/x.tlog.size", Bytes("\(size)\n".utf8))
            case .honest, .wrongSignature, .otherNote, .otherKey, .wrongClock:
                return Self.cosigned(body, &state, signer, other, clock())
            }
        }
    }

    private static func cosigned(
        _ body: Bytes, _ state: inout State, _ signer: borrowing WitnessSigningKey,
        _ other: borrowing WitnessSigningKey, _ now: UInt64
    ) -> LocalServer.Answer {
        guard let request = try? AddCheckpoint(body),
            let checkpoint = try? Checkpoint(text: request.note.text)
        else { return LocalServer.Answer(400, "text/plain", []) }
        let rules = state.rules ?? WitnessRules(logs: [])
        do throws(WitnessRules.Refusal) {
            if state.rules != nil { _ = try rules.checkpoint(of: request) }
            try rules.check(request, checkpoint, after: state.last)
        } catch {
            guard case .otherSize(let size) = error else {
                return LocalServer.Answer(error.status, "text/plain", [])
            }
            return LocalServer.Answer(409, "text/x.tlog.size", Bytes("\(size)\n".utf8))
        }
        state.last = checkpoint.head
        let seconds = now / 1_000_000
        let line: Bytes
        switch state.manner {
        case .otherNote:
            line = signer.key.signature(signer.cosign(request.note.text + [0x0a], at: seconds)).line
        case .otherKey:
            line = other.key.signature(other.cosign(request.note.text, at: seconds)).line
        case .wrongClock:
            line = signer.key.signature(signer.cosign(request.note.text, at: seconds + 3600)).line
        case .wrongSignature:
            var bytes = signer.cosign(request.note.text, at: seconds).bytes
            bytes[bytes.count - 1] ^= 1
            line = Cosignature(bytes).map { signer.key.signature($0).line } ?? []
        default: line = signer.key.signature(signer.cosign(request.note.text, at: seconds)).line
        }
        return LocalServer.Answer(200, "text/plain", line)
    }
}

extension TestWitness {
    /// The signer of the first test witness, for what no honest program records.
    static func signerForTests() throws -> WitnessSigningKey { try signer(1, "w") }
}
