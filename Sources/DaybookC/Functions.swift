internal import CDaybook
import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

// The functions of daybook.h, which documents them: the compiler compares their types with it.

/// Gives the library's version.
@c @implementation
public func daybook_version() -> UnsafePointer<CChar>? { unsafe Answers.version }

/// Makes a store.
@c @implementation
public func daybook_create(
    _ home: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    unsafe Answers.status(error) {
        try Store.create(at: unsafe Answers.text(home, "home", limit: 4096))
    }
}

/// Opens a store.
@c @implementation
public func daybook_open(
    _ home: UnsafePointer<CChar>?, _ front_end: UnsafePointer<CChar>?,
    _ store: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    unsafe store?.pointee = nil
    return unsafe Answers.status(error) {
        guard let store = unsafe store else { throw CommandFailure.usage("store is NULL") }
        let home = try unsafe Answers.text(home, "home", limit: 4096)
        let frontEnd = try unsafe Answers.text(front_end, "front_end", limit: 128)
        unsafe store.pointee = Handles.shared.add(try Opening.open(home, frontEnd))
    }
}

/// Performs a request.
@c @implementation
public func daybook_call(
    _ store: OpaquePointer?, _ request_json: UnsafePointer<CChar>?,
    _ response_json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    unsafe response_json?.pointee = nil
    let reply: CallAnswer
    do throws(CommandFailure) {
        guard let request = unsafe request_json else { throw .usage("request_json is NULL") }
        let open = try unsafe Handles.shared.store(store)
        // One byte more than allowed, so that a longer request is refused as such.
        reply = try open.call(unsafe CText.bytes(of: request, limit: Answers.longestRequest + 1))
    } catch {
        reply = CallAnswer(failure: error)
    }
    if let text = reply.text, let response = unsafe response_json {
        unsafe response.pointee = CText.handOut(text)
    }
    return reply.status.rawValue
}

/// Calls back for each change.
@c @implementation
public func daybook_subscribe(
    _ store: OpaquePointer?, _ after: Int64,
    _ callback: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void)?,
    _ context: UnsafeMutableRawPointer?, _ subscription: UnsafeMutablePointer<UInt64>?
) -> CInt {
    Answers.keepingError {
        guard let callback = unsafe callback else {
            throw CommandFailure.usage("callback is NULL")
        }
        guard let subscription = unsafe subscription else {
            throw CommandFailure.usage("subscription is NULL")
        }
        let open = try unsafe Handles.shared.store(store)
        unsafe subscription.pointee = try open.subscribe(
            from: try Answers.next(after: after), unsafe ChangeCallback(callback, context))
    }
}

/// Ends a subscription.
@c @implementation
public func daybook_unsubscribe(_ store: OpaquePointer?, _ subscription: UInt64) -> CInt {
    Answers.keepingError {
        try unsafe Handles.shared.store(store).unsubscribe(subscription)
    }
}

/// Closes a store.
@c @implementation
public func daybook_close(_ store: OpaquePointer?) -> CInt {
    Answers.keepingError { try unsafe Handles.shared.remove(store).close() }
}

/// Gives the reason why the last function without an `error` failed.
@c @implementation
public func daybook_last_error() -> UnsafeMutablePointer<CChar>? {
    unsafe Answers.lastError.value.flatMap { unsafe CText.handOut($0) }
}

/// Frees a text of ours.
@c @implementation
public func daybook_free(_ text: UnsafeMutablePointer<CChar>?) {
    if let text = unsafe text { unsafe CText.free(text) }
}
