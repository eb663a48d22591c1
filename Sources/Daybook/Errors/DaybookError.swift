import DaybookDomain
public import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookNodes
import DaybookSigner
import DaybookSystem

/// An error of the facade, with a code that stays the same in every version.
///
/// For example, after a typing error:
///
///     do {
///         try await store.approve(id, shown: prompt, unlockedBy: passphrase)
///     } catch {
///         show(error.code == .wrongPassphrase ? "Try again." : error.message)
///     }
///
/// `message` is one sentence for people, in lower case, and never holds a secret. Foundation's
/// `localizedDescription` is the same text.
public struct DaybookError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The stable name.
    public let code: Code
    /// One sentence for people, in lower case, with what is needed to find the cause.
    public let message: String
    /// The kind of error, which tells a program how to react.
    public let kind: Kind
    /// The event at fault, where there is one.
    public let position: Position?

    /// The kinds of errors, by who can fix them.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The request or call was refused.
        case refused
        /// The call itself is invalid.
        case usage
        /// The store is missing, damaged, too new or can't be written.
        case store
        /// The passphrase is wrong, or the wallet is locked.
        case passphrase
        /// A node is unreachable or refuses.
        case node
    }

    /// An error for tests of a front end.
    public init(_ code: Code, _ kind: Kind, _ message: String, position: Position? = nil) {
        self.code = code
        self.kind = kind
        self.message = message
        self.position = position
    }

    /// The message, and the code in parentheses.
    public var description: String { "\(message) (\(code))" }
}

extension DaybookError {
    init(_ refusal: Refusal) {
        self.init(Code(refusal.code), .refused, refusal.reason)
    }

    /// Converts any error of the layers below.
    package static func from(_ error: any Error) -> DaybookError {
        switch error {
        case let error as DaybookError: error
        case let error as LogError: DaybookError(error)
        case let error as KeystoreError: DaybookError(error)
        case let error as SigningRefusal:
            DaybookError("signingRefused", .refused, "nothing was signed: \(error)")
        case let error as ChainFailure: DaybookError(error)
        case let error as ExportError: DaybookError(error)
        case let error as ArchiveError:
            DaybookError(.archiveDamaged, .store, error.description)
        case is ExportFault, is EventRecordError:
            // For a file it would be an `ExportError`: this is the store's own log.
            DaybookError("storeDamaged", .store, "the log is damaged: \(error)")
        case let error as SystemError:
            DaybookError(Code(error.code), .store, error.description)
        case let error as LMDBError:
            DaybookError(
                Code(Errno(rawValue: error.rawValue), or: .storageError), .store, "\(error)")
        case is CancellationError:
            DaybookError(.callCancelled, .refused, "the call was cancelled")
        default: DaybookError("failed", .store, "\(error)")
        }
    }

    private init(_ error: LogError) {
        switch error {
        case .damaged(let position, _):
            self.init(
                Code(rawValue: error.code), .store, error.description,
                position: position.map { Position($0) })
        case .notNext(let position, _):
            self.init(
                Code(rawValue: error.code), .refused, error.description,
                position: Position(position))
        default:
            self.init(
                Code(rawValue: error.code), error.isOfNetwork ? .node : .store, error.description)
        }
    }

    /// The error of a file of the store.
    init(_ error: FormatNumberError, in place: String = "") {
        self.init(
            error.isOfDevelopment ? .developmentVersion : .storeTooNew, .store,
            place + error.description)
    }

    private init(_ error: ExportError) {
        let code: Code =
            switch error.fault {
            case .unknownFormat(let error), .badEvent(.unknownFormat(let error)):
                error.isOfDevelopment ? .developmentVersion : "exportTooNew"
            case .notAnExport: "notAnExport"
            default: "exportDamaged"
            }
        self.init(code, .refused, error.description)
    }

    private init(_ error: KeystoreError) {
        switch error {
        case .wrongPassphrase: self.init("wrongPassphrase", .passphrase, error.description)
        case .missing: self.init("keyMissing", .store, error.description)
        case .exists: self.init("walletExists", .refused, error.description)
        case .unknownFormat(let cause): self.init(cause)
        case .permission: self.init("permissionDenied", .store, error.description)
        case .system(let cause):
            self.init(Code(cause.code), .store, error.description)
        // The parameters were checked before, so that only the memory can be missing.
        case .keyDerivation: self.init("outOfMemory", .store, error.description)
        default: self.init("keyDamaged", .store, error.description)
        }
    }
}
