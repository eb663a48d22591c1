import DaybookEncoding
import DaybookSystem
import Testing
import TestSupport

@testable import DaybookSigner

struct LogKeyFileTests {
    private let folder: TemporaryFolder
    private let file: LogKeyFile

    init() throws {
        folder = try TemporaryFolder()
        file = LogKeyFile(path: "\(folder.path)/log.key")
        var seed = Bytes(repeating: 7, count: 32)
        _ = try file.make(from: &seed)
    }

    private var content: Bytes {
        get throws { try Files.read(file.path, limit: 1 << 10) }
    }

    private func refusal(of content: Bytes) throws -> KeystoreError? {
        try Files.writeAtomically(file.path, content, mode: 0o600)
        do {
            _ = try file.read()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a key is read as it was made`() throws {
        #expect(try content.starts(with: Bytes("daybook log key 10\n".utf8)))
        #expect(try file.read().publicKey.bytes == Bytes(content.suffix(32)))
    }

    @Test func `the key of another program is refused by its number`() throws {
        let key = try content.suffix(64)
        for (number, why) in [
            ("1", "was written by a development version before 1.0; let this program make another "
                + "key"),
            ("11", "is newer than 10, the last one known; use the program that wrote it"),
        ] {
            let refusal = try refusal(of: Bytes("daybook log key \(number)\n".utf8) + key)
            #expect(refusal?.description == "the format of the key file \(number) \(why)")
        }
    }

    @Test func `anything else is damage`() throws {
        let whole = try content
        let key = Bytes(whole.suffix(64))
        let name = "daybook log key"
        for heading in ["", "\n", "\(name) \n", "\(name) x\n", "\(name) 10"] {
            guard case .damaged = try refusal(of: Bytes(heading.utf8) + key) else {
                Issue.record("\(heading) is read")
                continue
            }
        }
        let others: [Bytes] = [
            [], Bytes(whole.dropLast()), whole + [0], Bytes(whole.dropFirst()),
        ]
        for content in others {
            guard case .damaged = try refusal(of: content) else {
                Issue.record("\(content.count) bytes are read")
                continue
            }
        }
        #expect(throws: KeystoreError.self) {
            _ = try LogKeyFile(path: file.path, of: .witness).read()
        }
    }
}
