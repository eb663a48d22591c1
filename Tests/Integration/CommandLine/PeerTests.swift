import Foundation
import Testing
import TestSupport

/// Round trips with other implementations, of which `tools/dev test-peers` makes many.
///
/// One round has words of another program with the keys, addresses and descriptors that two others
/// derive from them; payments that another program and Daybook sign in turn, one of them to several
/// payees; ICON's keystores and signatures, in both directions; and a time stamp. The seed
/// determines all but the keys that the other programs draw.
struct PeerTests {
    private static let python = Repository.path(".build/peers/bin/python")

    /// `tools/setup test` installs them where it can.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: python)))
    func `words, keys, PSBTs, keystores, signatures and stamps are also others'`() throws {
        let answer = try Programs.run([
            Self.python, "-B", Repository.path("tools/support/peers.py"),
            Programs.daybook, "1", "1",
        ])
        #expect(answer.status == 0, "\(answer.error)")
        #expect(answer.error.isEmpty)
        #expect(answer.output == "test-peers: 1 rounds, seed 1\n")
    }
}
