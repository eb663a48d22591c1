import Daybook
import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

/// After many calls with a passphrase, none is left in a server's memory.
@Suite(.enabled(if: ProcessMemory.isReadable, "only root may read a server's memory"))
struct PassphraseMemoryTests {
    private static let passphrase = "quince-Lantern 77 nowhere"
    private static let wrong = "marzipan~Regatta 31 nowhere"
    /// The wallet's label, which the server keeps.
    private static let present = "saffron-Trumpet 19 till"
    private let scene: Scene

    init() async throws {
        scene = try Scene(empty: true)
        try scene.done("init")
        // Cheap, so that eighty calls take no minute.
        var options = StoreOptions()
        options.scrypt = .cheap
        let store = try Store(opening: scene.home, frontEnd: "tests", options: options)
        _ = try await store.addWallet(
            .new, chain: .icon, label: Self.present, sealedBy: Self.secret(Self.passphrase))
    }

    private static func secret(_ text: String) -> Passphrase {
        var bytes = Array(text.utf8)
        return Passphrase(wiping: &bytes)
    }

    private static func unlock(_ id: Int, _ passphrase: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"unlock","params":{"wallet":"\#(present)","#
            + #""passphrase":"\#(passphrase)","seconds":60,"limit":"1"}}"#
    }

    /// The first half of a secret is as bad as the whole one.
    private func expectNothingLeft(in process: Int32) throws {
        for secret in [Self.passphrase, Self.wrong] {
            for part in [secret.prefix(13), secret.suffix(13)] {
                let count = try ProcessMemory.count(of: Array(part.utf8), in: process)
                #expect(count == 0, "\(part)")
            }
        }
        // The control: what every process has in its memory is found.
        #expect(try ProcessMemory.count(of: Array("serve".utf8), in: process) > 0)
    }

    @Test func `none is left of eighty calls at a socket`() throws {
        let server = try Server(scene)
        let clients = try (0..<4).map { _ in try server.client() }
        for round in 0..<20 {
            for client in clients {
                let line = Array(Self.unlock(round, Self.passphrase).utf8) + [0x0a]
                // In pieces, and a line with the beginning of the next one.
                try client.send(Array(line.prefix(round * 7)))
                try client.send(Array(line.dropFirst(round * 7)) + line.prefix(line.count / 2))
                #expect(try client.answer()["result"] != nil)
                try client.send(Array(line.dropFirst(line.count / 2)))
                #expect(try client.answer()["result"] != nil)
            }
        }
        for id in 0..<4 { try clients[0].send(Self.unlock(id, Self.wrong)) }
        for _ in 0..<4 { #expect(try clients[0].answer()["error"] != nil) }
        #expect(try clients[0].call("lock", ["wallet": .string(Self.present)])["result"] != nil)
        try expectNothingLeft(in: server.program.id)
    }

    @Test func `none is left of eighty calls at once at the standard streams`() throws {
        let program = try RunningProgram(
            [Programs.daybook, "serve", "--stdio", "--home", scene.home],
            hasInput: true, errors: .dropped)
        let lines = (0..<80).map { Self.unlock($0, Self.passphrase) + "\n" }
        try program.input?.write(lines.joined().utf8)
        for _ in 0..<80 {
            let answer = try JSON.parse(Array(try #require(program.output.line()).utf8))
            #expect(answer["result"] != nil)
        }
        try expectNothingLeft(in: program.id)
        program.input?.close()
        #expect(program.end().status == 0)
    }
}
