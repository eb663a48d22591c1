package import DaybookCommands
import DaybookEncoding
package import DaybookSystem

/// The answer to a request with the exit status of the command that does the same.
package struct CallAnswer: Sendable {
    /// The answer; nil for a notification, which has none.
    package var text: WipedBytes?
    /// `done` if the answer has a result; otherwise the status of its error.
    package let status: ExitStatus

    /// The answer to a request that could not be read or was never performed.
    package init(failure: CommandFailure) {
        text = RPCError(failure, id: nil).answer.line
        status = failure.status
    }

    init(text: WipedBytes?, status: ExitStatus) {
        self.text = text
        self.status = status
    }
}

extension ServedStores {
    /// Answers as `answer(_:)` does, and says whether the answer is an error.
    package func call(_ text: WipedBytes) async -> CallAnswer {
        do throws(RPCError) {
            let request = try RPCRequest(wiping: text)
            return CallAnswer(text: try await answer(request, to: nil).text, status: .done)
        } catch {
            return CallAnswer(text: error.answer.line, status: error.failure.status)
        }
    }
}
