import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// The result of an audit, which a later audit of the same log goes on from.
///
/// It is the text of a note (https://c2sp.org/signed-note) that the auditor signs. Its lines are
/// names and values, in the order of `init(text:)`.
package struct AuditResult: Equatable, Sendable {
    /// The commands that have results.
    package enum Kind: String, Sendable {
        case verify
        case replay

        /// The name of its findings, as a line of the result has it.
        fileprivate var faults: String { self == .verify ? "violations" : "divergences" }
    }

    /// The command of the audit.
    package let kind: Kind
    /// The id of the log.
    package let logID: Bytes
    /// The head of the log's tree.
    package let head: TreeHead
    /// The version of the rules of `decide`, and a digest of all that determines a state.
    private let engine: UInt64
    private let rules: Bytes
    private let rows: UInt64
    /// How many violations or divergences there are.
    package let faults: UInt64
    /// How many events were not judged, because their engines are unknown.
    private let unjudged: UInt64
    /// How many checkpoints there are, how many are signed by the keys, and the size of the last.
    package let checkpoints: [UInt64]
    /// The digest of the state, of a replay.
    package let digest: Bytes?
    /// The digest of the auditor's cache.
    package let cache: Bytes

    /// The beginning of every result, before the number of its format.
    package static let beginning = "daybook audit result "

    /// The longest result that is read.
    package static let mostBytes = NoteLimits.noteBytes

    /// The result of `verify`.
    package init(_ verification: Verification, of logID: Bytes, cache: Bytes) {
        let tally = verification.checkpoints
        self.init(
            .verify, logID, verification.head, faults: UInt64(verification.violationCount),
            unjudged: verification.unjudged.events,
            checkpoints: [tally.count, tally.signed, tally.signedSize], digest: nil, cache: cache)
    }

    /// The result of `replay`.
    package init(_ replay: Replay, of logID: Bytes, _ head: TreeHead, cache: Bytes) {
        self.init(
            .replay, logID, head, faults: UInt64(replay.divergences.count),
            unjudged: replay.unjudged.events, checkpoints: [], digest: replay.digest, cache: cache)
    }

    private init(
        _ kind: Kind, _ logID: Bytes, _ head: TreeHead, faults: UInt64, unjudged: UInt64,
        checkpoints: [UInt64], digest: Bytes?, cache: Bytes
    ) {
        (self.kind, self.logID, self.head, self.faults) = (kind, logID, head, faults)
        self.unjudged = unjudged
        (self.checkpoints, self.digest, self.cache) = (checkpoints, digest, cache)
        (engine, rules, rows) = (Engine.current, LogVersions.rules, LogVersions.derived)
    }

    /// Whether this program's rules and rows are those of the audit.
    private var isOfThisProgram: Bool {
        engine == Engine.current && rules == LogVersions.rules && rows == LogVersions.derived
    }

    // MARK: - Text

    private var text: Bytes {
        var lines = [
            "did \(kind.rawValue)", "log \(Hex.encode(logID))", "events \(head.size)",
            "root \(Hex.encode(head.root.bytes))", "engine \(engine)",
            "rules \(Hex.encode(rules))", "rows \(rows)", "\(kind.faults) \(faults)",
        ]
        if unjudged > 0 { lines.append("unjudged \(unjudged)") }
        if kind == .verify {
            lines.append("checkpoints " + checkpoints.map(String.init).joined(separator: " "))
        }
        if let digest { lines.append("digest \(Hex.encode(digest))") }
        lines.append("state \(Hex.encode(cache))")
        lines.insert("\(Self.beginning)\(FormatNumber.auditResult.current)", at: 0)
        return Bytes(lines.map { $0 + "\n" }.joined().utf8)
    }

    /// Parses a text; nil unless it is one that `text` writes.
    ///
    /// Throws for a result with a number that this program does not know.
    init?(text: Bytes) throws(FormatNumberError) {
        guard let whole = Text.utf8String(text) else { return nil }
        var lines = ResultLines(whole[...])
        guard let number = lines.number(String(Self.beginning.dropLast())) else { return nil }
        try FormatNumber.auditResult.check(number)
        guard let kind = lines.next("did").flatMap({ Kind(rawValue: $0) }),
            let logID = lines.bytes("log"), let size = lines.number("events"),
            let root = lines.bytes("root").flatMap({ TreeHash($0) }),
            let engine = lines.number("engine"), let rules = lines.bytes("rules"),
            let rows = lines.number("rows"), let faults = lines.number(kind.faults)
        else { return nil }
        unjudged = lines.number("unjudged") ?? 0
        var (checkpoints, digest) = ([UInt64](), nil as Bytes?)
        switch kind {
        case .verify:
            checkpoints = lines.next("checkpoints")?.split(separator: " ")
                .compactMap { UInt64($0) } ?? []
        case .replay: digest = lines.bytes("digest")
        }
        guard let cache = lines.bytes("state") else { return nil }
        (self.kind, self.logID, self.faults, self.cache) = (kind, logID, faults, cache)
        head = TreeHead(size: size, root: root)
        (self.engine, self.rules, self.rows) = (engine, rules, rows)
        (self.checkpoints, self.digest) = (checkpoints, digest)
        // One result has one spelling.
        guard self.text == text else { return nil }
    }

    // MARK: - Notes

    /// The bytes of the result as a note that the auditor has signed.
    package func signed(by key: AuditorKey) -> Bytes { key.sign(text).bytes }

    /// Reads a result that the auditor has signed, of an audit of this kind that can go on.
    package init(
        _ note: Bytes, signedBy key: NoteVerifierKey, for kind: Kind, of logID: Bytes
    ) throws(AuditError) {
        let text: Bytes
        do throws(NoteError) {
            let note = try SignedNote(note)
            _ = try note.verified(by: [key])
            text = note.text
        } catch .noKnownSignature {
            throw .otherAuditor
        } catch .wrongSignature {
            throw .forged
        } catch {
            throw .malformed("\(error)")
        }
        let parsed: AuditResult?
        do {
            parsed = try AuditResult(text: text)
        } catch {
            throw .unknownFormat(error)
        }
        guard let result = parsed else { throw .malformed("its text is not that of a result") }
        self = result
        if result.kind != kind { throw .otherKind(result.kind) }
        if result.logID != logID { throw .otherLog(result.logID) }
        if !isOfThisProgram { throw .otherRules }
    }
}

/// Reads the lines of a result in their order.
private struct ResultLines {
    private var lines: ArraySlice<Substring>

    init(_ text: Substring) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    }

    /// The value of the next line, if it has this name.
    mutating func next(_ name: String) -> String? {
        guard let line = lines.first, Text.begins(String(line), with: name + " ") else {
            return nil
        }
        lines.removeFirst()
        return String(line.dropFirst(name.count + 1))
    }

    mutating func number(_ name: String) -> UInt64? { next(name).flatMap { UInt64($0) } }

    mutating func bytes(_ name: String) -> Bytes? { next(name).flatMap { Hex.decode($0) } }
}

/// Why an audit does not go on from a result.
package enum AuditError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file is no result.
    case malformed(String)
    /// A newer program wrote the result, or a development version before the first release.
    case unknownFormat(FormatNumberError)
    /// The auditor's signature is wrong.
    case forged
    /// The auditor has not signed it.
    case otherAuditor
    /// It is the result of another command.
    case otherKind(AuditResult.Kind)
    /// It is the result of an audit of another log.
    case otherLog(Bytes)
    /// Another program made it, by other rules or with other rows.
    case otherRules
    /// Its cache is missing.
    case cacheMissing(path: String)
    /// Its cache is not the one that it names.
    case cacheDiffers
    /// The log has fewer events than the result is about.
    case rolledBack(events: UInt64, expected: UInt64)
    /// The log differs from that of the result, at one of these events.
    case parted(Range<UInt64>)
    /// The auditor's key is a key of the log.
    case keyOfLog

    /// The stable code.
    package var code: String {
        switch self {
        case .malformed: "resultMalformed"
        case .unknownFormat(let error) where error.isOfDevelopment: "developmentVersion"
        case .unknownFormat: "resultOtherRules"
        case .forged: "resultForged"
        case .otherAuditor: "resultOtherAuditor"
        case .otherKind: "resultOtherCommand"
        case .otherLog: "resultOtherLog"
        case .otherRules: "resultOtherRules"
        case .cacheMissing: "auditStateMissing"
        case .cacheDiffers: "auditStateDiffers"
        case .rolledBack: "logRolledBack"
        case .parted: "logParted"
        case .keyOfLog: "auditorKeyOfLog"
        }
    }

    /// The first event that is missing or may differ.
    package var position: Position? {
        if case .rolledBack(let events, _) = self { return Position(events) }
        if case .parted(let range) = self { return Position(range.lowerBound) }
        return nil
    }

    package var description: String {
        switch self {
        case .malformed(let reason): "the file is no result of an audit: \(reason)"
        case .unknownFormat(let error): error.description
        case .forged: "the result was altered: its signature is wrong"
        case .otherAuditor: "the result is not signed by the given key (--auditor)"
        case .otherKind(let kind): "the result is one of \(kind.rawValue), and goes on with that"
        case .otherLog(let id): "the result is of another log, \(Hex.encode(id))"
        case .otherRules: "another version of this program made the result: audit the whole log"
        case .cacheMissing(let path): "the auditor's state is missing; it should be \(path)"
        case .cacheDiffers: "the auditor's state is not the one that the result names"
        case .rolledBack(let events, let expected):
            "the log has \(events) events, and the result is of \(expected): some were removed"
        case .parted(let range):
            "the log is not the one of the result: an event from \(range.lowerBound) to "
                + "\(range.upperBound - 1) differs"
        case .keyOfLog: "the key signs the log's checkpoints: an auditor needs another one"
        }
    }
}
