import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let nodeSet = Command(.nodeSet) { invocation, store in
        let option = "--password-file"
        let arguments = try invocation.arguments(for: .nodeSet)
        guard let path = invocation.value(option), path != "-", !invocation.has("--user") else {
            return try await invocation.perform(.nodeSet, on: store, arguments)
        }
        var bytes = try Secrets.secret(path, of: option) { isCookie(path, $0) }
        defer { Secrets.wipe(&bytes) }
        let given = isCookie(path, bytes)
            ? arguments.replacing("cookieFile", with: .string(path))
            : arguments.replacingSecret("password", by: WipedBytes(copying: bytes))
        return try await invocation.perform(.nodeSet, on: store, given)
    }
}

/// Whether a file is Core's cookie file, by its name or its user.
private func isCookie(_ path: String, _ content: [UInt8]) -> Bool {
    path.split(separator: "/").last == ".cookie" || content.starts(with: "__cookie__:".utf8)
}
