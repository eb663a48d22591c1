import DaybookSystem
import Foundation
import Testing

struct ExternalProgramTests {
    private static func shell() throws -> ExternalProgram {
        try #require(ExternalProgram(named: "sh"))
    }

    @Test func `a program is found in PATH, and others are not`() throws {
        #expect(try Self.shell().path.hasSuffix("/sh"))
        #expect(ExternalProgram(named: "no-such-program") == nil)
        #expect(ExternalProgram(named: "../bin/nothing") == nil)
    }

    @Test func `each argument stays one word, and output and status come back`() throws {
        let odd = "a b'\"$(id)\n"
        let (status, output) = try Self.shell().run(
            ["-c", "printf '[%s]' \"$1\"; exit 7", "x", odd])
        #expect(status == 7)
        #expect(output == Array("[\(odd)]".utf8))
        #expect(try Self.shell().run(["-c", "kill -KILL $$"]).status == 128 + 9)
    }

    @Test func `output beyond the limit is dropped and the program ends`() throws {
        let (status, output) = try Self.shell().run(
            ["-c", "head -c 100000 /dev/zero; exit 3"], limit: 10)
        #expect(status == 3)
        #expect(output == [UInt8](repeating: 0, count: 10))
    }

    @Test func `a started program goes on, or its status is seen`() async throws {
        #expect(try await Self.shell().start(["-c", "exit 5"]).status(within: .seconds(20)) == 5)
        let long = try Self.shell().start(["-c", "exec sleep 1"])
        #expect(await long.status(within: .zero) == nil)
        #expect(await long.status(within: .seconds(20)) == 0)
    }

    @Test func `a program inherits its streams and no other descriptor`() throws {
        var pipes: [Int32] = [0, 0]
        try #require(pipe(&pipes) == 0)
        defer { for pipe in pipes { close(pipe) } }
        let (_, output) = try Self.shell().run(["-c", "echo /proc/$$/fd/*"])
        let open = String(decoding: output, as: UTF8.self).split(separator: " ")
            .compactMap { $0.split(separator: "/").last }
        #expect(!open.contains("\(pipes[0])") && !open.contains("\(pipes[1])"), "\(open)")
    }
}
