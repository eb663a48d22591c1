import CDaybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem
import TestSupport
import Testing

/// `daybook.h`: wrong arguments and closed handles end in errors, never in a crash.
struct WrongUseTests {
    private let folder: TemporaryFolder
    private let info = #"{"jsonrpc":"2.0","id":1,"method":"info"}"#

    init() throws { folder = try TemporaryFolder() }

    @Test func `NULL is an error wherever it is wrong`() async throws {
        let folder = folder.path
        try await onThread {
            let library = try OpenLibrary(in: folder)
            defer { library.close() }
            var store: OpaquePointer?
            var error: UnsafeMutablePointer<CChar>?
            #expect(daybook_create(nil, &error) == DAYBOOK_USAGE)
            let text = #"{"error":{"code":"usage","message":"home is NULL"}}"#
            #expect(taken(error) == text)
            #expect(daybook_open(nil, "tests", &store, &error) == DAYBOOK_USAGE)
            #expect(taken(error) == text)
            #expect(daybook_open(folder, nil, &store, nil) == DAYBOOK_USAGE)
            #expect(daybook_open(folder, "tests", nil, nil) == DAYBOOK_USAGE)
            var answer: UnsafeMutablePointer<CChar>?
            #expect(daybook_call(nil, "{}", &answer) == DAYBOOK_USAGE)
            #expect(taken(answer)?.contains("the store is NULL") == true)
            #expect(daybook_call(library.handle, nil, &answer) == DAYBOOK_USAGE)
            #expect(taken(answer)?.contains("request_json is NULL") == true)
            #expect(daybook_call(library.handle, "{}", nil) == DAYBOOK_USAGE)
            var number: UInt64 = 0
            #expect(daybook_subscribe(library.handle, 0, nil, nil, &number) == DAYBOOK_USAGE)
            #expect(reason(of: "usage", "callback is NULL"))
            #expect(daybook_subscribe(library.handle, 0, { _, _ in }, nil, nil) == DAYBOOK_USAGE)
            #expect(reason(of: "usage", "subscription is NULL"))
            #expect(daybook_unsubscribe(nil, 1) == DAYBOOK_USAGE)
            #expect(reason(of: "usage", "the store is NULL"))
            #expect(daybook_close(nil) == DAYBOOK_USAGE)
            #expect(reason(of: "usage", "the store is NULL"))
            daybook_free(nil)
        }
    }

    /// Whether this thread's last error has this code and message.
    private func reason(of code: String, _ message: String) -> Bool {
        let error = JSON.record(["code": .string(code), "message": .string(message)])
        return taken(daybook_last_error()) == JSON.record(["error": error]).text()
    }

    @Test func `a subscription that fails gives its reason, to its own thread alone`()
        async throws
    {
        let folder = folder.path
        let library = try await onThread {
            let library = try OpenLibrary(in: folder)
            #expect(library.subscribe(after: 1000) { _ in }.status == Int(DAYBOOK_REFUSED))
            let text = taken(daybook_last_error()) ?? ""
            #expect(text.hasPrefix(#"{"error":{"code":"unknownPosition","message":"the log has"#))
            #expect(taken(daybook_last_error()) == text)
            return library
        }
        try await onThread {
            #expect(daybook_last_error() == nil)
            let (status, number) = library.subscribe { _ in }
            #expect(status == 0)
            #expect(daybook_last_error() == nil)
            #expect(daybook_unsubscribe(library.handle, number) == DAYBOOK_DONE)
            #expect(daybook_unsubscribe(library.handle, number) == DAYBOOK_USAGE)
            #expect(reason(of: "unknownSubscription", "the store has no subscription \(number)"))
            #expect(library.close() == 0)
            #expect(daybook_last_error() == nil)
        }
    }

    @Test func `a closed handle stays closed, also when another store is opened`() async throws {
        let folder = folder.path
        let info = info
        try await onThread {
            let first = try OpenLibrary(in: folder)
            #expect(first.close() == 0)
            #expect(first.close() == Int(DAYBOOK_USAGE))
            let second = try OpenLibrary(opening: "\(folder)/store")
            defer { second.close() }
            #expect(first.handle != second.handle)
            let (answer, status) = try first.call(info)
            #expect(status == Int(DAYBOOK_USAGE))
            #expect(answer["error"]?["data"]?["code"] == .string("storeClosed"))
            #expect(first.subscribe { _ in }.status == Int(DAYBOOK_USAGE))
            #expect(daybook_unsubscribe(first.handle, 1) == DAYBOOK_USAGE)
            #expect(daybook_unsubscribe(second.handle, 1) == DAYBOOK_USAGE)
        }
    }

    /// Positions that a subscriber may name, and the statuses that follow.
    private static let positions: [Int64: Int] = [
        Int64.max: 2, 4_611_686_018_427_387_904: 2, 9_007_199_254_740_992: 2,
        9_007_199_254_740_991: 1, 2_147_483_648: 1, -1: 0, -2: 2, Int64.min + 1: 2, Int64.min: 0,
    ]

    @Test(arguments: positions)
    func `a position of any size is taken or refused`(
        position: Int64, status: Int
    ) async throws {
        let folder = folder.path
        try await onThread {
            let library = try OpenLibrary(in: folder)
            defer { library.close() }
            #expect(library.subscribe(after: position) { _ in }.status == status)
            var answer: UnsafeMutablePointer<CChar>?
            #expect(daybook_unsubscribe(library.handle, .max) == DAYBOOK_USAGE)
            let request = #"{"jsonrpc":"2.0","id":1,"method":"request.list","params":{"after":"#
                + "\(UInt64.max)}}"
            #expect(daybook_call(library.handle, request, &answer) == DAYBOOK_USAGE)
            #expect(taken(answer)?.contains("-32602") == true)
        }
    }

    @Test(arguments: [1, 16, 0x0db0 << 48, 0x7fff_0000_1000])
    func `a pointer that is no handle is refused`(bits: Int) async throws {
        let status = try await onThread { daybook_close(OpaquePointer(bitPattern: bits)) }
        #expect(status == DAYBOOK_USAGE)
    }

    @Test func `a text is freed once, and foreign texts are left alone`() async throws {
        try await onThread {
            var error: UnsafeMutablePointer<CChar>?
            #expect(daybook_create("/dev/null/store", &error) == DAYBOOK_STORE)
            daybook_free(error)
            daybook_free(error)
            var foreign: [CChar] = [65, 0]
            foreign.withUnsafeMutableBufferPointer { daybook_free($0.baseAddress) }
            #expect(foreign == [65, 0])
        }
    }

    @Test func `text that is no UTF-8, no JSON or too long is refused`() async throws {
        let folder = folder.path
        try await onThread {
            let library = try OpenLibrary(in: folder)
            defer { library.close() }
            let broken: [CChar] = [47, -1, -2, 0]
            var error: UnsafeMutablePointer<CChar>?
            var store: OpaquePointer?
            #expect(daybook_open(broken, "tests", &store, &error) == DAYBOOK_USAGE)
            #expect(taken(error)?.contains("home is no UTF-8") == true)
            #expect(daybook_open("\(folder)/store", broken, &store, &error) == DAYBOOK_USAGE)
            #expect(taken(error)?.contains("front_end is no UTF-8") == true)
            let request = Array(#"{"jsonrpc":"2.0","id":1,"method":""#.utf8CString.dropLast())
            var answer: UnsafeMutablePointer<CChar>?
            #expect(
                daybook_call(library.handle, request + [-1, 34, 125, 0], &answer) == DAYBOOK_USAGE)
            #expect(taken(answer)?.contains("-32700") == true)
            for text in ["", "nonsense", "[]", "{}"] {
                #expect(try library.call(text).status == Int(DAYBOOK_USAGE), "\(text)")
            }
            let long = String(repeating: " ", count: 1 << 20) + "{}"
            let (refused, _) = try library.call(long)
            #expect(refused["error"]?["code"] == .int(-32600))
        }
    }

    @Test func `a store is opened once, and again as soon as it is closed`() async throws {
        let folder = folder.path
        try await onThread {
            let library = try OpenLibrary(in: folder)
            var error: UnsafeMutablePointer<CChar>?
            var store: OpaquePointer?
            #expect(daybook_open("\(folder)/store", "tests", &store, &error) == DAYBOOK_STORE)
            #expect(taken(error)?.contains("storeAlreadyOpen") == true)
            #expect(store == nil)
            library.close()
            for _ in 0..<20 {
                let again = try OpenLibrary(opening: "\(folder)/store")
                #expect(try again.result("info")["events"] == .int(0))
                #expect(again.close() == 0)
            }
        }
    }

    @Test func `errors have the status of the command and the code`() async throws {
        let folder = folder.path
        try await onThread {
            let library = try OpenLibrary(in: folder)
            defer { library.close() }
            let shown = try library.call(
                #"{"jsonrpc":"2.0","id":"a","method":"request.show","params":{"request":9}}"#)
            #expect(shown.status == Int(DAYBOOK_REFUSED))
            #expect(shown.answer["id"] == .string("a"))
            #expect(shown.answer["error"]?["data"]?["code"] == .string("unknownRequest"))
            var answer: UnsafeMutablePointer<CChar>?
            let notification = #"{"jsonrpc":"2.0","method":"info"}"#
            #expect(daybook_call(library.handle, notification, &answer) == DAYBOOK_DONE)
            #expect(answer == nil)
            #expect(String(cString: try #require(daybook_version())) == Program.version)
        }
    }
}
