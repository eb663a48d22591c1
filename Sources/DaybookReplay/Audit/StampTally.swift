import DaybookCrypto
import DaybookDomain
package import DaybookEncoding
import DaybookLog

/// The certificates that an auditor trusts for time stamps.
package struct StampTrust: Sendable {
    /// The most bytes of a file of certificates.
    package static let mostBytes = TrustedCertificates.mostBytes

    fileprivate let certificates: TrustedCertificates

    /// Reads certificates in PEM; throws an error whose description is a sentence.
    package init(pem: Bytes) throws {
        certificates = try TrustedCertificates(pem: pem)
    }
}

/// Verifies the time stamps of a log's checkpoints offline, and counts them.
///
/// Without certificates a stamp counts for nothing. One that leads to none of the given ones does
/// not either, but is no fault: the auditor does not know who made it. Memory grows with the
/// checkpoints, not with the events.
package struct StampTally: Sendable {
    private let trust: StampTrust?
    /// The SHA-256 of the text of each checkpoint's note, by the checkpoint's position.
    private var texts: [Position: Bytes] = [:]
    /// How many stamps there are.
    package private(set) var count = 0
    /// How many of them were verified.
    package private(set) var verified = 0
    /// How many lead to none of the certificates.
    private var untrusted = 0
    /// How many are of a checkpoint that is left out.
    private var orphans = 0

    /// A fault of a stamp.
    struct Fault {
        let rule: Violation.Rule
        let position: Position
        let message: String

        init(_ rule: Violation.Rule, at position: Position, _ message: String) {
            (self.rule, self.position, self.message) = (rule, position, message)
        }
    }

    init(_ trust: StampTrust?) {
        self.trust = trust
    }

    /// Takes the text of the note of the checkpoint that the event at a position made.
    mutating func take(text: Bytes, at position: Position) {
        texts[position] = SHA256.hash(text)
    }

    /// Takes a recorded stamp; adds what it covers, and returns its faults.
    ///
    /// In a part of a log (`isPart`) the checkpoint may be left out.
    mutating func take(
        _ data: CheckpointStamped, of event: Event, isPart: Bool = false, _ clock: ClockCheck,
        into coverage: inout Coverage
    ) -> [Fault] {
        count += 1
        func fault(_ rule: Violation.Rule, _ message: String) -> [Fault] {
            [Fault(rule, at: event.position, message)]
        }
        guard let text = texts[data.checkpoint] else {
            orphans += 1
            return isPart ? [] : fault(.stampInvalid, "it stamps no checkpoint of this log")
        }
        do throws(TimeStampError) {
            let token = try TimeStampToken(data.token)
            try token.check(isOf: text)
            guard let trust else { return [] }
            let signer = try token.verify(by: trust.certificates)
            verified += 1
            let voucher = Coverage.Voucher(
                .authority, name: signer.name, identity: signer.certificate)
            let size = data.checkpoint.number
            coverage.add(voucher, size: size, at: token.time)
            var faults: [Fault] = []
            if let message = ClockCheck.disagreement(
                recorded: event.time, with: token.time, of: voucher)
            {
                faults += fault(.timeDisagrees, message)
            }
            if let later = clock.later(than: token.time, size: size, of: voucher) {
                faults.append(Fault(.timeDisagrees, at: later.position, later.message))
            }
            return faults
        } catch .otherRoot {
            untrusted += 1
            return []
        } catch {
            return fault(.stampInvalid, "\(error)")
        }
    }

    /// The gaps that stamps leave.
    var gaps: [Verification.Gap] {
        var gaps: [Verification.Gap] = []
        if trust == nil, count > 0 {
            gaps.append(.init(.timeStamps, "\(count) time stamps, for want of certificates"))
        }
        if untrusted > 0 {
            let why = "\(untrusted) of \(count) time stamps lead to no given certificate"
            gaps.append(.init(.timeStamps, why))
        }
        if orphans > 0 {
            let why = "the checkpoints of \(orphans) time stamps are left out"
            gaps.append(.init(.timeStamps, why))
        }
        return gaps
    }
}
