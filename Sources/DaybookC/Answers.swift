import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The results of the functions of C: statuses, and texts of errors.
enum Answers {
    /// The longest request, in bytes: that of JSON-RPC at the other doors.
    static let longestRequest = 1 << 20
    nonisolated(unsafe) static let version = unsafe CText.lasting(Program.version)

    /// Does something; returns its status, and hands out the text of its error.
    static func status(
        _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ body: () throws -> Void
    ) -> CInt {
        unsafe error?.pointee = nil
        let (status, reason) = outcome(body)
        if let error = unsafe error, let reason { unsafe error.pointee = CText.handOut(reason) }
        return status
    }

    /// Does something; returns its status, and keeps the text of its error for this thread.
    static func keepingError(_ body: () throws -> Void) -> CInt {
        let (status, reason) = outcome(body)
        lastError.set(reason)
        return status
    }

    /// The error of the last function that keeps it, on each thread.
    static let lastError = ThreadText()

    private static func outcome(_ body: () throws -> Void) -> (status: CInt, reason: String?) {
        do {
            try body()
            return (ExitStatus.done.rawValue, nil)
        } catch let problem {
            let failure = problem as? CommandFailure ?? CommandFailure(explaining: problem)
            return (failure.status.rawValue, JSON.record(["error": failure.json]).text())
        }
    }

    /// The text of an argument.
    static func text(
        _ text: UnsafePointer<CChar>?, _ name: String, limit: Int
    ) throws(CommandFailure) -> String {
        guard let text = unsafe text else { throw .usage("\(name) is NULL") }
        guard let string = unsafe CText.string(text, limit: limit) else {
            throw .usage("\(name) is no UTF-8, or has more than \(limit) bytes")
        }
        return string
    }

    /// The position after an event; nil for `DAYBOOK_NOW`.
    static func next(after position: Int64) throws(CommandFailure) -> Position? {
        if position == .min { return nil }
        if position == -1 { return 0 }
        guard let position = UInt64(exactly: position).flatMap({ Position(exactly: $0) }) else {
            throw .usage("after is a position, -1 or DAYBOOK_NOW")
        }
        return position.next
    }
}

/// Opens stores.
enum Opening {
    /// Opens a store; one that was closed just now is waited for.
    ///
    /// When `close` returns, a thread of Swift's may still be about to release the store, and
    /// nothing tells when it has.
    static func open(_ home: String, _ frontEnd: String) throws -> OpenStore {
        let wasOpen = Handles.shared.isOpen(home)
        var attempts = 0
        while true {
            do {
                return try OpenStore(home, frontEnd: frontEnd)
            } catch let error as DaybookError where error.code == "storeAlreadyOpen" {
                attempts += 1
                if wasOpen || attempts == 500 { throw error }
                Pause.milliseconds(2)
            }
        }
    }
}
