import DaybookCrypto
import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookLinks

/// The search for secrets passes over what can hold none; the thorough one passes over nothing.
struct SecretSearchTests {
    @Test func `in every kept text the search finds the same as the thorough one`() throws {
        for text in try Self.kept() { expectAlike(text) }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `in a mended, cut or joined text the search finds the same as the thorough one`(
        _ seed: UInt64
    ) throws {
        var random = Seeded(seed)
        let kept = try Self.kept()
        for _ in 0..<500 {
            var text = kept[random.below(kept.count)]
            let place = random.below(text.count + 1)
            switch random.below(4) {
            case 0: text = Mutation.mutate(text, &random)
            case 1: text.insert(contentsOf: kept[random.below(kept.count)], at: place)
            case 2: text = text[..<place] + Disguise.random(Bytes(text[place...]), &random)
            default: text = Bytes("iconex://?data=".utf8) + Disguise.random(text, &random)
            }
            expectAlike(text)
        }
    }

    @Test(arguments: Secret.allCases)
    func `a secret is found wherever it stands, in every disguise and in two at once`(
        _ secret: Secret
    ) {
        var random = Seeded(4)
        let noises = Bytes("-09.Il_~".utf8)
        for outer in Disguise.allCases {
            for inner in Disguise.allCases {
                let planted = outer.put(on: inner.put(on: secret.made(&random)))
                // At each distance to the bytes that the search looks at.
                for before in [random.below(40), 40 + random.below(40)] {
                    let noise = (0..<before).map { _ in noises[random.below(noises.count)] }
                    let text = Bytes("iconex://?data=".utf8) + noise + Bytes("|".utf8) + planted
                    expectAlike(text)
                    let found = Redaction.findsSecret(in: text)
                    #expect(found, "\(secret) in \(inner) in \(outer)")
                }
            }
        }
    }

    @Test func `eleven words are no secret, and a secret of the fewest bytes is one`() {
        let word = Bytes("zoo".utf8)
        for count in [11, 12, 13] {
            for gap in [" ", "%20", ",", "\n\n"] {
                let words = Bytes(repeatElement(word, count: count).joined(separator: gap.utf8))
                for before in 0..<60 {
                    let noise = Bytes(repeatElement("x~", count: before).joined().utf8)
                    let text = Bytes("dash:?message=".utf8) + noise
                    expectAlike(text + words)
                    #expect(Redaction.findsSecret(in: text + words) == (count > 11))
                }
            }
        }
    }

    private func expectAlike(_ text: Bytes, sourceLocation: SourceLocation = #_sourceLocation) {
        let found = Redaction.findsSecret(in: text)
        guard found == ThoroughRedaction.findsSecret(in: text),
            Redaction.redact(text) == ThoroughRedaction.redact(text)
        else {
            Issue.record("otherwise searched: \(Hex.encode(text))", sourceLocation: sourceLocation)
            return
        }
    }

    /// The links of the fixtures, and what fuzzing kept.
    private static func kept() throws -> [Bytes] {
        let secrets = SecretsTests.Line.all.map { Bytes($0.url.utf8) }
        let fuzzed = try Fixture.hexLines("fuzz/links.hex")
        #expect(!secrets.isEmpty && !fuzzed.isEmpty)
        return LinkFixture.all.map(\.text) + secrets + fuzzed
    }
}
