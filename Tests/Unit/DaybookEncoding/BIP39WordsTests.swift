import Testing

@testable import DaybookEncoding

struct BIP39WordsTests {
    @Test func `the list has 2048 words in ascending order`() {
        let words = BIP39Words.english
        #expect(words.count == 2048)
        #expect(words.first == "abandon")
        #expect(words.last == "zoo")
        for (left, right) in zip(words, words.dropFirst()) {
            #expect(left.utf8.lexicographicallyPrecedes(right.utf8))
        }
    }

    @Test func `every word has its number and no other text has one`() {
        for (number, word) in BIP39Words.english.enumerated() {
            #expect(BIP39Words.index(of: word.utf8) == number)
        }
        // The last two share the five low bits of their first letters with a word and with none.
        for text in ["", "aban", "abandonx", "Zoo", "zzz", "a", "\u{1}bandon", "\u{1f}\u{1f}"] {
            #expect(BIP39Words.index(of: text.utf8) == nil)
        }
    }
}
