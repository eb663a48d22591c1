internal import DaybookLMDB
internal import DaybookSystem

extension LogError {
    /// The name of the reason for programs, the same in every version.
    package var code: String {
        switch self {
        case .missing: "storeMissing"
        case .halfCreated: "storeHalfCreated"
        case .exists: "storeExists"
        case .tooNew: "storeTooNew"
        case .needsMigration: "storeNeedsMigration"
        case .damaged: "storeDamaged"
        case .notOwner: "storeNotOwned"
        case .permissionDenied: "permissionDenied"
        case .readOnlyFileSystem, .openedReadOnly: "storeReadOnly"
        case .diskFull, .mapFull: "diskFull"
        case .alreadyOpen: "storeAlreadyOpen"
        case .tooManyReaders: "tooManyReaders"
        case .poisoned: "storePoisoned"
        case .eventTooLarge, .badLength: "tooLarge"
        case .notNext: "eventInvalid"
        case .system(let error): error.code.reason ?? "storageError"
        case .storage(let error):
            Errno(rawValue: error.rawValue).reason ?? "storageError"
        case .badReference, .timeWentBack: "storageError"
        }
    }
}
