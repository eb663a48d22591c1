import DaybookDomain
import DaybookEncoding
import DaybookLinks
import Testing

struct LimitTests {
    private let tooLong = LinkReading.refused(
        Refusal(.linkTooLong), caller: nil, reference: nil)

    private func connect(length: Int) -> Bytes {
        let start = "iconex://?data=eyJpZCI6MSwibWV0aG9kIjoiYmluZCJ9&caller=my-app-scheme://&x="
        let filling = Bytes(repeating: UInt8(ascii: "-"), count: length - start.utf8.count)
        return Bytes(start.utf8) + filling
    }

    @Test func `a link of 64 KiB is read and one byte more is refused`() {
        guard case .request = Links.parse(connect(length: 65_536)) else {
            Issue.record("64 KiB are refused")
            return
        }
        #expect(Links.parse(connect(length: 65_537)) == tooLong)
    }

    @Test func `an overlong link is recorded as its length and refused again`() {
        let recorded = Links.recorded(connect(length: 65_537))
        #expect(recorded == Bytes("[link:65537]".utf8))
        #expect(Links.parse(recorded) == tooLong)
        #expect(Links.recorded(connect(length: 65_536)) == connect(length: 65_536))
    }

    @Test(arguments: [
        "dashwallet://request=address&sender=myapp&x=",
        "axewallet://request=address&sender=myapp&x=",
        "dash:XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa?x=",
        "axe:P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8?x=",
    ])
    func `a wallet link of 2048 bytes is read and one byte more is refused`(_ start: String) {
        let text = Bytes(start.utf8)
        let filled = text + Bytes(repeating: UInt8(ascii: "-"), count: 2_048 - text.count)
        guard case .request = Links.parse(filled) else {
            Issue.record("2048 bytes are refused")
            return
        }
        #expect(Links.parse(filled + [UInt8(ascii: "-")]) == tooLong)
    }

    @Test func `letters that only look like keys are read in bounded time`() {
        for letter in ["X", "7", "a", "%", "%4", "\\u00", "abandon-"] {
            let text = String(repeating: letter, count: 65_000 / letter.utf8.count)
            guard case .refused = Links.parse(Bytes("dash:\(text)".utf8)) else {
                Issue.record("\(letter) is accepted")
                continue
            }
        }
    }
}
