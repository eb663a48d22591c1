/// One of the ten word lists of BIP 39; a word's place in it is a number of eleven bits.
package struct WordList: Sendable {
    /// The languages of the lists.
    package enum Language: String, Sendable, CaseIterable {
        case english = "English"
        case japanese = "Japanese"
        case korean = "Korean"
        case spanish = "Spanish"
        case french = "French"
        case italian = "Italian"
        case czech = "Czech"
        case portuguese = "Portuguese"
        case chineseSimplified = "simplified Chinese"
        case chineseTraditional = "traditional Chinese"
    }

    package let language: Language
    /// The words in Unicode's form NFKD, which seeds are made of.
    package let words: [Bytes]
    /// The numbers of the words in the order of their bytes.
    private let order: [Int]
    /// Words without their marks, in order, where a keyboard may lack them; else none.
    private let plain: [(word: Bytes, number: Int)]

    /// The list of a language.
    package static func of(_ language: Language) -> WordList {
        switch language {
        case .english: english
        case .japanese: japanese
        case .korean: korean
        case .spanish: spanish
        case .french: french
        case .italian: italian
        case .czech: czech
        case .portuguese: portuguese
        case .chineseSimplified: chineseSimplified
        case .chineseTraditional: chineseTraditional
        }
    }

    /// The number of a word in NFKD; nil if the list does not have it.
    package func number(of word: Span<UInt8>) -> Int? {
        Self.search(order.count) { Self.compare(word, words[order[$0]]) }.map { order[$0] }
    }

    /// The number of a word that is written without its accents.
    package func number(ofPlain word: Span<UInt8>) -> Int? {
        Self.search(plain.count) { Self.compare(word, plain[$0].word) }.map { plain[$0].number }
    }

    private init(_ language: Language, _ words: [String]) {
        self.language = language
        self.words = words.map { Decomposition.normalized($0) }
        let words = self.words
        order = words.indices.sorted { ByteOrder.precedes(words[$0], words[$1]) }
        plain = [.french, .spanish].contains(language) ? Self.plain(words) : []
    }

    private static func plain(_ words: [Bytes]) -> [(word: Bytes, number: Int)] {
        words.enumerated().map { (word: withoutMarks($1), number: $0) }
            .sorted { ByteOrder.precedes($0.word, $1.word) }
    }

    /// Removes U+0300 to U+036F, which are accents in NFKD.
    private static func withoutMarks(_ word: Bytes) -> Bytes {
        let text = String(decoding: word, as: UTF8.self)
        let letters = text.unicodeScalars.filter { !(0x300...0x36f).contains($0.value) }
        return Bytes(String(String.UnicodeScalarView(letters)).utf8)
    }

    /// The index at which `compare` finds nothing to choose, by halving.
    private static func search(_ count: Int, _ compare: (Int) -> Int) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let result = compare(middle)
            if result == 0 { return middle }
            if result < 0 { high = middle } else { low = middle + 1 }
        }
        return nil
    }

    private static func compare(_ word: Span<UInt8>, _ other: Bytes) -> Int {
        for index in 0..<min(word.count, other.count) where word[index] != other[index] {
            return Int(word[index]) - Int(other[index])
        }
        return word.count - other.count
    }
}

extension WordList {
    private static let english = WordList(.english, BIP39Words.english)
    private static let japanese = WordList(.japanese, unpacked(japaneseText))
    private static let korean = WordList(.korean, unpacked(koreanText))
    private static let spanish = WordList(.spanish, unpacked(spanishText))
    private static let french = WordList(.french, unpacked(frenchText))
    private static let italian = WordList(.italian, unpacked(italianText))
    private static let czech = WordList(.czech, unpacked(czechText))
    private static let portuguese = WordList(.portuguese, unpacked(portugueseText))
    private static let chineseSimplified = WordList(
        .chineseSimplified, characters(chineseSimplifiedText))
    private static let chineseTraditional = WordList(
        .chineseTraditional, characters(chineseTraditionalText))

    private static func characters(_ text: String) -> [String] {
        text.filter { $0 != "\n" }.map { String($0) }
    }

    /// The words of a packed list: a capital letter says how many letters of the one before stay.
    private static func unpacked(_ text: String) -> [String] {
        var words: [String] = []
        var letters: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars where scalar != "\n" {
            guard ("A"..."Z").contains(scalar) else {
                letters.append(scalar)
                continue
            }
            if !letters.isEmpty { words.append(word(letters)) }
            letters.removeSubrange(Int(scalar.value - 65)...)
        }
        return words + [word(letters)]
    }

    private static func word(_ letters: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(letters))
    }
}
