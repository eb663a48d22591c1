import DaybookCalls
import DaybookSystem

/// Measurements of the methods that front ends call.
extension Measurement {
    /// Calls in process, of 64 tasks at a time: the server's baseline.
    static let calls = Measurement(name: "calls") { place in
        let front = try Front(opening: place.store, frontEnd: "bench")
        let parameters = #"{"status":["pending"],"limit":3}"#
        let text = Array(
            #"{"jsonrpc":"2.0","id":1,"method":"request.list","params":\#(parameters)}"#.utf8)
        let start = Clock.monotonicMicroseconds()
        let count = min(place.limit, tasks * callsOfEach)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    for _ in 0..<count / tasks {
                        guard await front.answer(WipedBytes(copying: text)) != nil else {
                            throw LogWriteError("a call was not answered")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return Result(
            count: count, nanoseconds: (Clock.monotonicMicroseconds() - start) * 1_000)
    }

    private static let tasks = 64
    private static let callsOfEach = 200
}
