import DaybookEncoding

extension State {
    /// Whether the user has ever approved a request of this sender.
    func hasApproved(_ caller: Caller) -> Bool {
        approved.contains(Pair(caller.skeleton, caller.scheme))
    }

    /// The approved sender with which this one is most easily confused; nil if there is none.
    ///
    /// A sender that the user approved before is compared only with those of the same skeleton:
    /// nobody reads a warning that comes with every request.
    func confusable(with caller: Caller) -> String? {
        for (key, _) in approved.rows(.first(KeyText(caller.skeleton)), limit: 2)
        where key.text != caller.scheme {
            return key.text
        }
        if hasApproved(caller) { return nil }
        let name = SenderName(caller.scheme, skeleton: caller.skeleton)
        var nearest: (scheme: String, likeness: SenderName.Likeness)?
        for (key, _) in approved.rows(limit: SenderName.maxCompared) {
            let other = SenderName(key.text, skeleton: key.first.text)
            guard let likeness = name.likeness(to: other),
                nearest.map({ likeness < $0.likeness }) ?? true
            else { continue }
            nearest = (other.scheme, likeness)
        }
        return nearest?.scheme
    }
}

/// A sender's name, compared with the names of approved senders for similarity.
///
/// Two names are similar if they are one edit apart (`shop`, `shpo`) or one contains the other
/// (`shop`, `my-shop`, `shop2`); both the spelling and the skeleton (`Caller.skeleton`) are tried.
/// Names of up to three letters have too many neighbours one edit away; another name contains
/// them only as a whole word.
struct SenderName {
    let scheme: String
    private let spelled: Bytes
    private let seen: Bytes

    /// How two names are similar, the most similar first.
    enum Likeness: Comparable {
        case oneEdit, addedWords
    }

    /// The most approved senders that a sender is compared with, in the order of their skeletons.
    ///
    /// Nobody approves that many apps; a log made to contain them must not slow down each prompt.
    static let maxCompared = 1000

    /// Shorter names are never one edit apart, and another name contains them only as a word.
    private static let fewestLetters = 4

    init(_ scheme: String, skeleton: String) {
        self.scheme = scheme
        spelled = Bytes(scheme.utf8)
        seen = Bytes(skeleton.utf8)
    }

    /// How this name is similar to another; nil if it is not.
    func likeness(to other: SenderName) -> Likeness? {
        if Self.areOneEditApart(spelled, other.spelled) || Self.areOneEditApart(seen, other.seen) {
            return .oneEdit
        }
        if other.holds(self) || holds(other) { return .addedWords }
        return nil
    }

    /// Whether one insertion, deletion, replacement or swap of neighbours makes them equal.
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

    /// Whether this name contains the other, which has fewer words.
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

    /// The skeletons of the name's words, with and without the digits at their ends.
    private var words: [Bytes] {
        let words = spelled.split { "+-.".utf8.contains($0) }
        return words.flatMap { [$0, Self.withoutNumbers($0)] }.compactMap { word in
            Text.utf8String(word).map { Bytes(Caller(scheme: $0, prefix: "").skeleton.utf8) }
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
