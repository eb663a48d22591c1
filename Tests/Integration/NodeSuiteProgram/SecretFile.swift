import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// A file with a secret, as the tool's options name it.
enum SecretFile {
    /// The file's bytes without the line's end; nil where the option is not given.
    static func read(_ invocation: Invocation, _ option: String) throws -> Bytes? {
        guard let path = invocation.value(option) else { return nil }
        var bytes = try Files.read(path, limit: 65_536)
        while let last = bytes.last, last == 0x0a || last == 0x0d { bytes.removeLast() }
        return bytes
    }

    /// User and password; a password without a user is both, as in Core's `.cookie`.
    static func login(
        _ invocation: Invocation, _ chain: String
    ) throws -> (user: String, password: Bytes)? {
        let user = invocation.value("--\(chain)-user")
        guard let password = try read(invocation, "--\(chain)-password-file") else {
            if user == nil { return nil }
            throw CommandFailure.usage("--\(chain)-user goes with --\(chain)-password-file")
        }
        if let user { return (user, password) }
        let parts = password.split(separator: UInt8(ascii: ":"), maxSplits: 1)
        guard parts.count == 2, let user = Text.utf8String(Bytes(parts[0])) else {
            throw CommandFailure.usage("the password has no user: give --\(chain)-user")
        }
        return (user, Bytes(parts[1]))
    }
}
