package import DaybookSystem

/// Why a sealed wallet could not be written, opened or used; a secret never stands in an error.
package enum KeystoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no sealed file of this name.
    case missing(String)
    /// There is a sealed file of this name already; it is never overwritten.
    case exists(String)
    /// The passphrase is another one than the file was sealed with.
    case wrongPassphrase
    /// The file is not as it was written.
    case damaged(reason: String)
    /// The file was written by a later version of the program.
    case tooNew(found: UInt64, known: UInt64)
    /// The file or its folder belongs to somebody else, or others may read or change it.
    case permission(reason: String)
    /// The wallet has no key at this path.
    case noKey(at: String)
    /// The operating system refused.
    case system(SystemError)
    /// The key derivation failed, most likely for want of memory.
    case keyDerivation
    /// The caller's name, salt or nonce is not what a sealed file has.
    case invalid(String)

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .missing(let name): "no sealed key file \(name)"
        case .exists(let name): "the sealed key file \(name) is there already"
        case .wrongPassphrase: "the passphrase is wrong"
        case .damaged(let reason): "the sealed key file is damaged: \(reason)"
        case .tooNew(let found, let known):
            "the sealed key file has version \(found), this program knows \(known)"
        case .permission(let reason): "the sealed key file is not safe: \(reason)"
        case .noKey(let path): "the wallet has no key at \(path)"
        case .system(let error): error.description
        case .keyDerivation: "the key derivation failed, perhaps for want of memory"
        case .invalid(let what): "a sealed key file can't have this \(what)"
        }
    }
}

/// Runs what the system may refuse, in the keystore's words.
func system<Result>(
    _ body: () throws(SystemError) -> Result
) throws(KeystoreError) -> Result {
    do throws(SystemError) {
        return try body()
    } catch {
        throw .system(error)
    }
}
