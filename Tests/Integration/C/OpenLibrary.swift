import CDaybook
import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// A store that is open through the functions of `daybook.h`.
///
/// The functions block, so tests call them on threads of their own: on one of Swift's they would
/// wait for answers that need that very thread.
struct OpenLibrary: @unchecked Sendable {
    let handle: OpaquePointer?

    /// Makes a store and opens it.
    init(in folder: String) throws {
        var error: UnsafeMutablePointer<CChar>?
        try #require(daybook_create("\(folder)/store", &error) == DAYBOOK_DONE)
        try self.init(opening: "\(folder)/store")
    }

    /// Opens a store.
    init(opening home: String) throws {
        var opened: OpaquePointer?
        var error: UnsafeMutablePointer<CChar>?
        let status = daybook_open(home, "tests", &opened, &error)
        try #require(status == DAYBOOK_DONE, "\(taken(error) ?? "")")
        #expect(error == nil)
        handle = opened
    }

    /// Performs a request; its answer and the status.
    func call(_ request: String) throws -> (answer: JSON, status: Int) {
        var text: UnsafeMutablePointer<CChar>?
        let status = daybook_call(handle, request, &text)
        return (try JSON.parse(Array(try #require(taken(text)).utf8)), Int(status))
    }

    /// The result of a method without parameters.
    func result(_ method: String) throws -> JSON {
        let answer = try call(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#)
        #expect(answer.status == 0)
        return try #require(answer.answer["result"])
    }

    /// Subscribes; `callback` is called with each change until the process ends.
    func subscribe(
        after position: Int64 = Int64.min, _ callback: @escaping @Sendable (String) -> Void
    ) -> (status: Int, number: UInt64) {
        var number: UInt64 = 0
        let box = Unmanaged.passRetained(Callback(callback))
        let status = daybook_subscribe(
            handle, position,
            { context, text in
                guard let context, let text else { return }
                let callback = Unmanaged<Callback>.fromOpaque(context).takeUnretainedValue()
                callback.call(String(cString: text))
            }, box.toOpaque(), &number)
        return (Int(status), number)
    }

    /// Makes a change.
    func change() throws {
        _ = try call(
            #"{"jsonrpc":"2.0","id":1,"method":"request.open","params":{"url":"nothing:"}}"#)
    }

    @discardableResult
    func close() -> Int { Int(daybook_close(handle)) }

    private final class Callback: Sendable {
        let call: @Sendable (String) -> Void

        init(_ call: @escaping @Sendable (String) -> Void) { self.call = call }
    }
}

/// The text of the library at a pointer, which is freed.
func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    defer { daybook_free(text) }
    return text.map { String(cString: $0) }
}

/// Runs a body on a thread of its own.
func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
