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
        for text in ["", "aban", "abandonx", "Zoo", "zzz", "a"] {
            #expect(BIP39Words.index(of: text.utf8) == nil)
        }
    }
}
