import Foundation
import Testing

@testable import DaybookEncoding

struct WordListTests {
    @Test(arguments: WordList.Language.allCases)
    func `a list has 2048 words, and each word has its number`(language: WordList.Language) {
        let list = WordList.of(language)
        #expect(list.words.count == 2_048)
        #expect(Set(list.words).count == 2_048)
        for (number, word) in list.words.enumerated() {
            let text = String(decoding: word, as: UTF8.self)
            #expect(Bytes(text.decomposedStringWithCompatibilityMapping.utf8) == word)
            #expect(list.number(of: word.span) == number)
        }
        for text in ["", "aban", "zzzz", "あ", "的的", "\u{301}"] {
            #expect(list.number(of: Bytes(text.utf8).span) == nil)
        }
    }

    @Test func `words without accents are found in French and Spanish alone`() {
        for (language, word, isFound) in [
            (WordList.Language.french, "academie", true), (.spanish, "abaco", true),
            (.french, "zzzz", false), (.english, "abandon", false), (.czech, "abdikace", false),
        ] {
            let number = WordList.of(language).number(ofPlain: Bytes(word.utf8).span)
            #expect((number != nil) == isFound, "\(word)")
        }
    }
}

struct DecompositionTests {
    @Test func `every character has the normal form that Foundation gives it`() throws {
        for value in UInt32(0)...0x2_ffff {
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age,
                age.major <= Decomposition.version.major
            else { continue }
            let text = String(scalar)
            let expected = Bytes(text.decomposedStringWithCompatibilityMapping.utf8)
            if Decomposition.normalized(text) != expected {
                Issue.record("U+\(String(value, radix: 16))")
            }
        }
    }

    @Test(arguments: [
        "a\u{301}\u{323}", "a\u{323}\u{301}", "\u{1e69}\u{323}", "각가힣", "ｶﾞ", "㍍ガバヴァ",
        "q\u{307}\u{323}x", "\u{fdfa}",
    ])
    func `marks are put in their order`(text: String) {
        let expected = Bytes(text.decomposedStringWithCompatibilityMapping.utf8)
        #expect(Decomposition.normalized(text) == expected)
    }

    @Test func `text that has no normal form is refused`() {
        let texts: [(Bytes, DecompositionError)] = [
            ([0xe9], .notUTF8), (Bytes("\u{378}".utf8), .unknownCharacter),
            (Bytes(("a" + String(repeating: "\u{301}", count: 40)).utf8), .tooManyMarks),
        ]
        for (text, error) in texts {
            var room = Bytes(repeating: 0, count: text.count * Decomposition.growth)
            #expect(throws: error) {
                var output = room.mutableSpan
                _ = try Decomposition.write(text.span, to: &output)
            }
        }
    }
}
