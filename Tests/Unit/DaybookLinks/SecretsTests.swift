import DaybookDomain
import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookLinks

struct SecretsTests {
    struct Line: CustomTestStringConvertible, Sendable {
        let kind: String
        let secret: String?
        let url: String
        let says: String
        let recorded: String?

        var testDescription: String { "\(kind) \(says): \(url.prefix(40))" }

        static let all = (Fixture.links("secrets")["cases"]?.arrayValue ?? []).map { json in
            Line(
                kind: json["kind"]?.stringValue ?? "", secret: json["secret"]?.stringValue,
                url: json["url"]?.stringValue ?? "", says: json["says"]?.stringValue ?? "",
                recorded: json["recorded"]?.stringValue)
        }
    }

    private let refused = LinkReading.refused(
        Refusal(.privateKeyInLink), caller: nil, reference: nil)

    @Test(arguments: Line.all)
    func `a secret is refused and its place recorded in its stead`(_ line: Line) {
        let text = Bytes(line.url.utf8)
        #expect(Links.parse(text) == refused)
        let recorded = Links.recorded(text)
        #expect(Links.parse(recorded) == refused)
        #expect(Links.recorded(recorded) == recorded)
        let spelled = String(decoding: recorded, as: UTF8.self)
        #expect(spelled.contains("[\(line.kind):"))
        if let expected = line.recorded { #expect(spelled == expected) }
    }

    @Test(arguments: Line.all)
    func `nothing of a secret is readable in what is recorded`(_ line: Line) {
        let recorded = String(decoding: Links.recorded(Bytes(line.url.utf8)), as: UTF8.self)
        let decoded = recorded.removingPercentEncoding ?? recorded
        for word in (line.secret ?? "abandon winner").split(separator: " ") {
            for part in [String(word), String(word.suffix(24)), String(word.prefix(24))] {
                #expect(!recorded.contains(part) && !decoded.contains(part))
                let hex = Hex.encode(part.utf8)
                #expect(!recorded.contains(hex))
                #expect(!recorded.contains(Base64.encode(Bytes(part.utf8)).prefix(20)))
            }
        }
    }

    @Test func `a text without secrets stays as it came`() {
        let clean = (Fixture.links("secrets")["clean"]?.arrayValue ?? []).compactMap(\.stringValue)
        #expect(clean.count == 4)
        for url in clean + LinkFixture.all.map(\.url) {
            #expect(Links.recorded(Bytes(url.utf8)) == Bytes(url.utf8))
        }
    }

    @Test func `a mark that somebody else wrote is refused like one of ours`() {
        #expect(Links.parse(Bytes("dash:[wif:52]".utf8)) == refused)
        #expect(Links.parse(Bytes("[xprv:111]".utf8)) == refused)
        for text in ["dash:[wif:]", "dash:[wif:5", "dash:[other:5]", "dash:wif:52]"] {
            #expect(Links.parse(Bytes(text.utf8)) != refused)
        }
    }
}
