/// The known word that a user probably meant by an unknown one.
enum Suggestion {
    /// Longer words are no slips of the fingers.
    private static let longest = 40

    /// The most similar candidate; nil if none is similar.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let scalars = Array(word.unicodeScalars)
        guard (2...longest).contains(scalars.count) else { return nil }
        // Half of a word may not differ: `ad` is not `log`.
        let limit = scalars.count < 4 ? 1 : 2
        let near = candidates.map { ($0, distance(scalars, Array($0.unicodeScalars))) }
            .filter { $0.1 <= limit }
        return near.min { $0.1 < $1.1 }?.0
    }

    /// The words of a question that offers the candidate; empty if there is none.
    static func question(_ word: String, among candidates: [String]) -> String? {
        nearest(to: word, among: candidates).map { "did you mean '\($0)'?" }
    }

    /// The number of letters to insert, remove, replace or swap with a neighbour.
    ///
    /// This is the optimal string alignment distance, which changes no letter twice.
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1,
                    last[column] + (letter == other ? 0 : 1))
                let isSwapped = row > 0 && column > 0 && letter == right[column - 1]
                    && left[row - 1] == other
                if isSwapped { cost = min(cost, beforeLast[column - 1] + 1) }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
