import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookSystem

extension Store {
    /// Has an authority stamp the last checkpoint with its time (RFC 3161), and records the stamp.
    ///
    /// For example, after a checkpoint:
    ///
    ///     let checkpoint = try await store.checkpoint()
    ///     try await store.timestamp(by: "https://tsa.example/", certificates: "/etc/tsa.pem")
    ///
    /// The stamp is of the SHA-256 of the text of the checkpoint's note, which names the log, its
    /// size and its root. `url` is `http` or `https`, a host, and optionally a port and a path.
    /// `certificates` names a PEM file; with it the signature is verified before the stamp is
    /// recorded, and without it only `daybook-replay verify` does. Nothing else waits meanwhile.
    ///
    /// - Throws: `checkpointMissing`, `invalidAuthorityURL`, `invalidCertificates`,
    ///   `unreadableFile`, `authorityUnreachable`, `authorityNoAnswer`, `authorityAnswerInvalid`,
    ///   `authorityRefused`, `stampMismatch`, `stampInvalid`, `stampUntrusted`.
    @discardableResult
    public func timestamp(
        by url: String, certificates: String? = nil
    ) async throws(DaybookError) -> CheckpointStamp {
        try await convertingErrors {
            let address = try NodeURL(
                parsing: url, of: "authority's", or: "invalidAuthorityURL")
            let trusted = try certificates.map(Self.trustedCertificates)
            guard let last = try journal.log.read({ try $0.lastCheckpoint() }) else {
                throw DaybookError(
                    "checkpointMissing", .refused,
                    "the log has no checkpoint to stamp; make one with `daybook checkpoint`")
            }
            let text = try SignedNote(last.data.note).text
            let nonce = try Entropy.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
            let request = TimeStampRequest(digest: SHA256.hash(text), nonce: nonce)
            let token: TimeStampToken
            let signer: StampSigner?
            do {
                let answer = try await StampingClient(url: address.text).answer(to: request)
                token = try TimeStampToken(answer: answer, to: request)
                signer = try trusted.map { try token.verify(by: $0) }
            } catch let failure as ChainFailure {
                throw DaybookError(authority: address, failure)
            } catch let error as TimeStampError {
                throw DaybookError(error)
            }
            let events = try await journal.record(
                .init(
                    .checkpointStamped(
                        CheckpointStamped(checkpoint: last.position, token: token.bytes))))
            guard let event = events.last(where: \.isStamp) else {
                preconditionFailure("a recorded event is among the recorded ones")
            }
            return CheckpointStamp(
                position: event.position, checkpoint: last.position,
                root: Hex.encode(last.data.root),
                time: Timestamp(microseconds: token.time), authority: signer?.name)
        }
    }

    private static func trustedCertificates(_ path: String) throws -> TrustedCertificates {
        let text: Bytes
        do {
            text = try Files.read(path, limit: TrustedCertificates.mostBytes)
        } catch {
            throw DaybookError("unreadableFile", .usage, error.description)
        }
        do throws(TimeStampError) {
            return try TrustedCertificates(pem: text)
        } catch {
            throw DaybookError("invalidCertificates", .usage, "\(path): \(error)")
        }
    }
}

/// A time stamp of a checkpoint, as it was recorded.
public struct CheckpointStamp: Codable, Hashable, Sendable, Identifiable {
    /// The event that records the stamp.
    public let position: Position
    /// The event that records the checkpoint; so many events are stamped.
    public let checkpoint: Position
    /// The root of the tree over the stamped events, 32 bytes in hex.
    public let root: String
    /// When the authority stamped it.
    public let time: Timestamp
    /// The subject of the signer's certificate; nil if the signature was not verified.
    public let authority: String?

    /// The position.
    public var id: Position { position }

    /// A stamp for previews and tests of a front end.
    public init(
        position: Position, checkpoint: Position, root: String, time: Timestamp,
        authority: String? = nil
    ) {
        (self.position, self.checkpoint, self.root) = (position, checkpoint, root)
        (self.time, self.authority) = (time, authority)
    }
}

extension Event {
    fileprivate var isStamp: Bool {
        if case .checkpointStamped = payload { true } else { false }
    }
}

extension DaybookError {
    /// An authority that gave no answer.
    fileprivate init(authority address: NodeURL, _ failure: ChainFailure) {
        let code: Code =
            switch failure.reason {
            case .noAnswer, .tooSlow: "authorityNoAnswer"
            case .tooLong, .invalidAnswer, .wrongPath, .redirect: "authorityAnswerInvalid"
            case .refused, .wrongPassword, .busy: "authorityRefused"
            case .noNode, .unreachable, .proxy, .certificate, .warmingUp, .syncing, .wrongChain,
                .noAddressIndex, .noTransactionIndex, .missingTransaction, .unprovenSpend,
                .contradiction, .omission, .unknownCall, .unsettled, .clock:
                "authorityUnreachable"
            }
        self.init(code, .node, "the authority at \(address.text): \(failure.message)")
    }

    /// A stamp that is none, or not the one that was asked for.
    fileprivate init(_ error: TimeStampError) {
        switch error {
        case .refused(let reason):
            let words = NodeText.quoted(reason)
            self.init("authorityRefused", .node, "the authority refuses: \(words)")
        case .tooLong, .notAnAnswer, .notAToken, .unknownVersion, .malformedTime:
            self.init("authorityAnswerInvalid", .node, "the authority's answer: \(error)")
        case .otherImprint, .otherNonce:
            self.init("stampMismatch", .refused, "nothing was recorded: \(error)")
        case .otherRoot: self.init("stampUntrusted", .refused, "nothing was recorded: \(error)")
        case .weakDigest, .noSigner, .expired, .notYetValid, .otherPurpose, .weakCertificate,
            .certificate, .wrongSignature, .malformedCertificates, .tooManyCertificates:
            self.init("stampInvalid", .refused, "nothing was recorded: \(error)")
        }
    }
}
