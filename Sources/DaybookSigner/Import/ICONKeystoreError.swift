package import DaybookCrypto

/// Why a keystore file gave no key; nothing of the password or the key stands in an error.
package enum ICONKeystoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file is larger than any keystore.
    case tooLarge(Int)
    /// The file is not JSON; the byte at which that shows.
    case notJSON(offset: Int)
    /// A field is missing, or is not what a keystore has there.
    case field(String)
    /// The file asks for a version, cipher or key derivation that we don't have.
    case unsupported(String)
    /// The file asks for a key derivation that can't be, or that would stop the machine.
    case keyDerivation(KeyDerivationError)
    /// The password is wrong, or ciphertext or mac are damaged: the format can't tell them apart.
    case wrongPassword
    /// What came out is no private key.
    case notAKey
    /// The key does not belong to the address that the file names.
    case otherAddress

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .tooLarge(let count): "a keystore file does not have \(count) bytes"
        case .notJSON(let offset): "the keystore file is not json at byte \(offset)"
        case .field(let name): "the keystore file has no valid \(name)"
        case .unsupported(let what): "the keystore file asks for \(what), which is not supported"
        case .keyDerivation(let error): error.description
        case .wrongPassword: "the password is wrong, or the keystore file is damaged"
        case .notAKey: "the keystore file holds no private key"
        case .otherAddress: "the key does not belong to the address in the keystore file"
        }
    }
}
