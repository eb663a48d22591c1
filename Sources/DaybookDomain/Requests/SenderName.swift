import DaybookEncoding

/// A sender's name, as it is compared with others for what a hasty reader would take it for.
///
/// Names are compared as they are spelled and as they look (`Caller.looks`): one edit apart
/// (`shop`, `shpo`), or one within the other (`shop`, `my-shop`, `shop2`). Names of three letters
/// and fewer have too many neighbours for the first, and count for the second only as a word.
struct SenderName {
    let scheme: String
    private let spelled: Bytes
    private let seen: Bytes

    /// How two names are alike, the most alike first.
    enum Likeness: Comparable {
        case oneEdit, addedWords
    }

    /// With how many approved senders one is compared, in the order of their looks.
    ///
    /// Nobody approves that many apps; a log made to have them must not make each prompt slow.
    static let mostCompared = 1000

    /// The fewest letters of a name that may stand anywhere in another, or be one edit apart.
    private static let fewestLetters = 4

    init(_ scheme: String, looks: String) {
        self.scheme = scheme
        spelled = Bytes(scheme.utf8)
        seen = Bytes(looks.utf8)
    }

    /// How this name is like another; nil where nobody takes the one for the other.
    func likeness(to other: SenderName) -> Likeness? {
        if Self.areOneEditApart(spelled, other.spelled) || Self.areOneEditApart(seen, other.seen) {
            return .oneEdit
        }
        if other.holds(self) || holds(other) { return .addedWords }
        return nil
    }

    /// Whether inserting, leaving out or replacing a letter, or swapping two, makes them the same.
    private static func areOneEditApart(_ one: Bytes, _ other: Bytes) -> Bool {
        let shorter = min(one.count, other.count)
        guard shorter >= fewestLetters, max(one.count, other.count) - shorter <= 1 else {
            return false
        }
        var start = 0
        while start < shorter, one[start] == other[start] { start += 1 }
        var (end, otherEnd) = (one.count, other.count)
        while end > start, otherEnd > start, one[end - 1] == other[otherEnd - 1] {
            end -= 1
            otherEnd -= 1
        }
        if max(end, otherEnd) - start <= 1 { return true }
        return end - start == 2 && otherEnd - start == 2 && one[start] == other[start + 1]
            && one[start + 1] == other[start]
    }

    /// Whether the other name is this one without some words.
    private func holds(_ other: SenderName) -> Bool {
        if Self.find(other.spelled, in: spelled) || Self.find(other.seen, in: seen) { return true }
        return other.seen.count < Self.fewestLetters && other.seen.count < seen.count
            && words.contains(other.seen)
    }

    private static func find(_ part: Bytes, in whole: Bytes) -> Bool {
        guard part.count >= fewestLetters, part.count < whole.count else { return false }
        return (0...(whole.count - part.count)).contains { start in
            whole[start] == part[0] && whole[start..<(start + part.count)].elementsEqual(part)
        }
    }

    /// What the words of the name look like, with the numbers around them and without.
    private var words: [Bytes] {
        let words = spelled.split { "+-.".utf8.contains($0) }
        return words.flatMap { [$0, Self.withoutNumbers($0)] }.compactMap { word in
            Text.utf8String(word).map { Bytes(Caller(scheme: $0, prefix: "").looks.utf8) }
        }
    }

    private static func withoutNumbers(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        var word = word.drop(while: isDigit)
        while let last = word.last, isDigit(last) { word.removeLast() }
        return word
    }
}
