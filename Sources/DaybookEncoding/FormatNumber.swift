/// The number of a format on disk, by which a program tells whether it can read a file or a table.
///
/// Numbers only go up. Those below 10 are of development versions before 1.0, which no release
/// reads. `docs/FORMATS.md` says of each number what an older and a newer program do with it.
package struct FormatNumber: Equatable, Sendable {
    /// The name of the format, for people.
    package let name: String
    /// The number that this program writes, and the newest that it reads.
    package var current: UInt64
    /// The advice for a file or table of a development version.
    private let advice: String

    /// The first number of a release.
    package static let firstReleased: UInt64 = 10

    private init(_ name: String, _ current: UInt64, advice: String) {
        (self.name, self.current, self.advice) = (name, current, advice)
    }

    /// Refuses a number that this program does not know, by name.
    package func check(_ found: UInt64) throws(FormatNumberError) {
        guard (Self.firstReleased...current).contains(found) else {
            throw FormatNumberError(self, found: found)
        }
    }

    /// Refuses a number that this program does not know, by an error of the caller's own.
    package func check<Failure: Error>(
        _ found: UInt64, orThrow failure: (FormatNumberError) -> Failure
    ) throws(Failure) {
        do throws(FormatNumberError) {
            try check(found)
        } catch {
            throw failure(error)
        }
    }

    fileprivate func explanation(of found: UInt64) -> String {
        found < Self.firstReleased
            ? "\(name) \(found) was written by a development version before 1.0; \(advice)"
            : "\(name) \(found) is newer than \(current), the last one known; use the program that "
                + "wrote it"
    }
}

// MARK: - All formats

extension FormatNumber {
    /// The tables of a log in LMDB, and their keys.
    package static let layout = FormatNumber("the log's layout", 10, advice: exportIt)
    /// The tables of a database.
    package static let schema = FormatNumber("the database's schema", 10, advice: exportIt)
    /// The envelope of an event.
    package static let event = FormatNumber("the event format", 10, advice: exportIt)
    /// Export files of both forms, and the segments of an archive.
    package static let export = FormatNumber(
        "the export format", 10, advice: "read it with that program")
    /// The sealed file of a wallet's key.
    package static let sealedFile = FormatNumber(
        "the format of the sealed key file", 10, advice: restoreIt)
    /// The file of a watch-only wallet.
    package static let watchFile = FormatNumber(
        "the format of the watch-only wallet's file", 10, advice: "add the wallet again")
    /// The files of the keys that sign and cosign checkpoints.
    package static let noteKey = FormatNumber(
        "the format of the key file", 10, advice: "let this program make another key")
    /// The file `settings.json` of a store.
    package static let settings = FormatNumber(
        "the format of settings.json", 10, advice: "write the file anew")
    /// A file with an ICON transaction to sign.
    package static let signingRequest = FormatNumber(
        "the format of the signing request", 10, advice: makeItAgain)
    /// The result of an audit, and the state file beside it.
    package static let auditResult = FormatNumber(
        "the format of the audit's result", 10, advice: "audit the whole log")
    /// A statement of balances and movements.
    package static let statement = FormatNumber(
        "the format of the statement", 10, advice: makeItAgain)

    private static let exportIt = "export it with that program"
    private static let restoreIt = "restore the wallet from its words"
    private static let makeItAgain = "make it again"

    /// All of them, in the order of the table in `docs/FORMATS.md`.
    package static let all: [FormatNumber] = [
        layout, event, schema, export, sealedFile, watchFile, noteKey, settings, signingRequest,
        auditResult, statement,
    ]
}

/// A number of a format that this program does not know.
package struct FormatNumberError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The format.
    package let format: FormatNumber
    /// The number in the file or the table.
    package let found: UInt64

    fileprivate init(_ format: FormatNumber, found: UInt64) {
        (self.format, self.found) = (format, found)
    }

    /// Whether a development version before 1.0 wrote it, else a newer program.
    package var isOfDevelopment: Bool { found < FormatNumber.firstReleased }

    /// One sentence in lower case: the format, its number, and what to do.
    package var description: String { format.explanation(of: found) }
}
