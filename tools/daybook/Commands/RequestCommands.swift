import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let open = Command(.requestOpen) { invocation, store in
        let url = invocation.bytes(at: 0)
        guard url == [UInt8(ascii: "-")] else {
            return try await receive(url, invocation, store)
        }
        var status = ExitStatus.done
        while let line = try StandardStreams.readLine(limit: longestLine) {
            if line.isEmpty { continue }
            if try await receive(line, invocation, store) != .done { status = .refused }
        }
        return status
    }

    /// Far above the limit of a request, so that one that is too long is recorded and refused.
    private static let longestLine = 1 << 20

    private static func receive(
        _ text: [UInt8], _ invocation: Invocation, _ store: Store
    ) async throws -> ExitStatus {
        try invocation.show(
            MethodAnswer(offering: try await store.receive(text), command: invocation.name))
    }
}
