import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// Asking about the past of a log that is long enough for a history to be kept.
struct HistoryCommandTests {
    private let scene: Scene
    private let last: String
    private var cache: String { scene.path("cache") }

    init() throws {
        scene = try Scene()
        let log = try EventLog(opening: scene.home + "/log")
        let count = try log.write { transaction in
            for _ in 0..<9000 {
                _ = try transaction.append(
                    EventDraft(
                        stream: "tests", type: "test.filler", time: transaction.lastTime,
                        session: .at(0), actor: "tests", data: .record([:])))
            }
            return transaction.count
        }
        last = String(count - 1)
    }

    private func ask(_ words: String...) throws -> ProgramRun {
        try Programs.run(
            ["\(Programs.folder)/\(words[0])"] + words.dropFirst(),
            environment: ["DAYBOOK_HOME": scene.home, "XDG_CACHE_HOME": cache])
    }

    private func history() throws -> String {
        let folder = try #require(try Files.list(cache + "/daybook").first)
        return "\(cache)/daybook/\(folder)/data.mdb"
    }

    @Test func `both programs answer out of one history, as they do without`() throws {
        let balance = try ask("daybook", "balance", "--at", last)
        #expect(try Files.information(Files.parent(of: try history()))?.mode == 0o700)
        let before = try Files.read(try history(), limit: 1 << 30)
        let state = try ask("daybook-replay", "state", scene.home, "--at", last)
        #expect(try Files.read(try history(), limit: 1 << 30) == before)
        let words = ["balance", "--at", last, "--no-cache"]
        #expect(try ask("daybook", words[0], words[1], words[2], words[3]).output == balance.output)
        let anew = try ask("daybook-replay", "state", scene.home, "--at", last, "--no-cache")
        #expect(anew.output == state.output)
        #expect([balance, state, anew].allSatisfy { $0.status == 0 && $0.error.isEmpty })
        #expect(balance.output.contains("DASH"))
    }

    @Test(arguments: [0xff, 0x00, 0x55] as [UInt8])
    func `a history whose pages are overwritten costs no answer`(byte: UInt8) throws {
        let right = try ask("daybook-replay", "state", scene.home, "--at", last)
        let path = try history()
        var bytes = try Files.read(path, limit: 1 << 30)
        // The two meta pages stay, so that LMDB believes the rest.
        for place in bytes.indices.dropFirst(8192) where place % 4096 < 2048 {
            bytes[place] = byte
        }
        try Files.writeAtomically(path, bytes, mode: 0o600)
        for program in [["daybook-replay", "state", scene.home], ["daybook", "balance"]] {
            let words = ["\(Programs.folder)/\(program[0])"] + program.dropFirst() + ["--at", last]
            let answer = try Programs.run(
                words, environment: ["DAYBOOK_HOME": scene.home, "XDG_CACHE_HOME": cache])
            #expect(answer.status == 0, "\(answer.error)")
            if program.count == 3 { #expect(answer.output == right.output) }
        }
        // The damaged files are repaired or removed.
        let again = try ask("daybook-replay", "state", scene.home, "--at", last)
        #expect(again.output == right.output && again.status == 0)
    }
}
