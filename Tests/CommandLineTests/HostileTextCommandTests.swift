import Foundation
import Testing

/// A caller's text on a terminal: it can't move the cursor, hide, reorder or imitate anything.
struct HostileTextCommandTests {
    private static let texts = [
        "%1B%5B2J%1B%5BH", "%1B%5D0%3Btitle%07", "%0D%0Aamount%20%200.1", "%08%08%08paid",
        "%C2%9B2J", "%E2%80%AEtpecca", "%E2%81%A6x%E2%81%A9", "%7F%7F", "%E2%80%8Bhidden",
        "%EF%BB%BF", "%C2%AD", "%E2%80%A8next%20line",
    ]

    @Test(arguments: texts)
    func `no command prints a caller's text as more than letters`(text: String) throws {
        let scene = try Scene()
        let links = [
            "dashwallet://pay=\(Scene.payee)&amount=1&sender=shop&message=\(text)",
            "dash:\(Scene.payee)?amount=2&label=\(text)&message=a\(text)b",
            "dashwallet://pay=\(Scene.payee)&amount=1&sender=\(text)",
            "dashwallet://pay=\(text)&amount=1&sender=shop",
        ]
        for link in links {
            try Self.check(try scene.daybook("open", link), link)
        }
        for command in ["pending", "log", "callbacks"] {
            try Self.check(try scene.daybook(command), command)
            try Self.checkJSON(try scene.daybook(command, "--json"), "\(command) --json")
        }
    }

    /// JSON is lossless and for programs, but it is also seen in terminals.
    private static func checkJSON(_ answer: Answer, _ what: String) throws {
        let reorders: [ClosedRange<UInt32>] = [0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069]
        for scalar in answer.output.unicodeScalars where scalar != "\n" {
            let isPlain = scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
            let isOrdered = !reorders.contains { $0.contains(scalar.value) }
            #expect(isPlain && isOrdered, "U+\(String(scalar.value, radix: 16)) of \(what)")
        }
    }

    private static func check(_ answer: Answer, _ what: String) throws {
        let seen = answer.output + answer.error
        for scalar in seen.unicodeScalars where scalar != "\n" {
            let isPlain = scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
            let isFormat = scalar.properties.generalCategory == .format
            #expect(isPlain && !isFormat, "U+\(String(scalar.value, radix: 16)) of \(what)")
            let isSeparator = [.lineSeparator, .paragraphSeparator]
                .contains(scalar.properties.generalCategory)
            #expect(!isSeparator, "U+\(String(scalar.value, radix: 16)) of \(what)")
        }
    }
}
