import DaybookLog
import DaybookSystem
import Testing

/// When an operation on a log began.
struct LogOperationTests {
    @Test func `what is called in an operation is a part of it`() {
        #expect(LogOperation.start == nil)
        LogOperation.run {
            let start = LogOperation.start
            #expect(start != nil)
            LogOperation.run { #expect(LogOperation.start == start) }
            #expect(LogOperation.start == start)
        }
        #expect(LogOperation.start == nil)
    }

    @Test func `one that is renewed began just now`() {
        LogOperation.run {
            let before = Clock.monotonicMicroseconds()
            LogOperation.renew()
            #expect(LogOperation.start.map { $0 >= before } == true)
        }
        LogOperation.renew()
        #expect(LogOperation.start == nil)
    }

    @Test func `a task that outlives the operation that it was begun in is part of none`() async {
        let (isOver, isOverSource) = AsyncStream<Void>.makeStream()
        let task = await LogOperation.run {
            await Task.yield()
            return Task {
                let during = LogOperation.start
                for await _ in isOver {}
                LogOperation.renew()
                return (during, LogOperation.start)
            }
        }
        isOverSource.finish()
        #expect(await task.value.1 == nil)
    }
}
