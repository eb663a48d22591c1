import DaybookSystem
import Foundation
import Glibc
import Synchronization
import Testing

/// Values shared by threads, and work that has a thread of its own.
struct ThreadTests {
    @Test func `a thread that waits goes on when another has changed the value`() {
        let count = Monitor(0)
        let thread = WorkThread()
        for _ in 0..<100 { thread.run { count.change { $0 += 1 }; return {} } }
        #expect(count.change(when: { $0 == 100 }) { $0 } == 100)
    }

    @Test func `work is done in order, beside the caller, and ends with its last words`() {
        let said = Monitor([String]())
        let caller = ThreadID.current
        let thread = WorkThread()
        for number in 1...3 {
            thread.run {
                said.change { $0.append("\(number), \(ThreadID.current != caller)") }
                return { said.change { $0.append("\(number) done") } }
            }
        }
        let all = said.change(when: { $0.count == 6 }) { $0 }
        #expect(all == (1...3).flatMap { ["\($0), true", "\($0) done"] })
    }

    @Test func `objects of a task are released before its last words`() {
        final class Held: Sendable {
            let gone: Monitor<Bool>
            init(_ gone: Monitor<Bool>) { self.gone = gone }
            deinit { gone.change { $0 = true } }
        }
        let (gone, wasGone) = (Monitor(false), Monitor<Bool?>(nil))
        let (mayBegin, thread) = (Monitor(false), WorkThread())
        // The caller holds the work too until `run` has returned.
        thread.run { mayBegin.change(when: { $0 }) { _ in }; return {} }
        thread.run(Self.work(holding: Held(gone)) {
            let isGone = gone.change { $0 }
            wasGone.change { $0 = isGone }
        })
        mayBegin.change { $0 = true }
        #expect(wasGone.change(when: { $0 != nil }) { $0 } == true)
    }

    private static func work(
        holding held: some AnyObject & Sendable, _ last: @escaping @Sendable () -> Void
    ) -> WorkThread.Work {
        { withExtendedLifetime(held) { last } }
    }

    @Test func `signals are left to other threads`() {
        let held = Monitor<Bool?>(nil)
        let thread = WorkThread()
        thread.run {
            var mask = sigset_t()
            unsafe pthread_sigmask(SIG_SETMASK, nil, &mask)
            let isHeld = unsafe sigismember(&mask, SIGINT) == 1
            held.change { $0 = isHeld }
            return {}
        }
        #expect(held.change(when: { $0 != nil }) { $0 } == true)
    }

    @Test func `without a thread of its own, no two pieces of work are done at once`() async {
        await #expect(processExitsWith: .success) {
            let other = WorkThread()
            other.run { {} }
            // Half a thread's stack of 8 MiB is left (proc(5), `statm`).
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                .split(separator: " ").first.flatMap { rlim_t($0) }
            let used = try #require(pages) * 4096
            var room = rlimit(rlim_cur: used + 4_194_304, rlim_max: rlim_t.max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &room)
            let (said, isAdded) = (Monitor([String]()), Monitor(false))
            let thread = WorkThread()
            thread.run {
                said.change { $0.append("the first begins") }
                other.run {
                    thread.run { said.change { $0.append("the second") }; return {} }
                    isAdded.change { $0 = true }
                    return {}
                }
                isAdded.change(when: { $0 }) { _ in }
                said.change { $0.append("the first ends") }
                return {}
            }
            let all = said.change { $0 }
            precondition(all == ["the first begins", "the first ends", "the second"], "\(all)")
        }
    }
}
