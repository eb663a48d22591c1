import DaybookEncoding

/// A place where a node's answer and ours are not the same.
struct AnswerDifference: Hashable, CustomStringConvertible {
    /// The recording's name for the exchange.
    let label: String
    let method: String
    /// The member that differs, such as `result[].height`; `status` and `code` stand alone.
    let place: String
    let recorded: String
    let answered: String

    var description: String {
        "\(method) (\(label)): \(place): recorded \(recorded), answered \(answered)"
    }

    /// The places where two values differ, with what each has there.
    static func places(
        _ recorded: JSON?, _ answered: JSON?, at place: String
    ) -> [(place: String, recorded: String, answered: String)] {
        guard let recorded, let answered else {
            guard recorded != nil || answered != nil else { return [] }
            return [(place, recorded?.text() ?? "nothing", answered?.text() ?? "nothing")]
        }
        switch (recorded, answered) {
        case (.array(let left), .array(let right)) where left.count == right.count:
            return zip(left, right).flatMap { places($0, $1, at: "\(place)[]") }
        case (.object(let left), .object(let right)) where !left.isEmpty && !right.isEmpty:
            var names = left.map(\.name)
            names += right.map(\.name).filter { !names.contains($0) }
            return names.flatMap { places(recorded[$0], answered[$0], at: "\(place).\($0)") }
        default:
            return recorded == answered ? [] : [(place, recorded.text(), answered.text())]
        }
    }
}

/// A difference that is known, and why it is.
struct KnownDifference: Sendable {
    let method: String
    /// The beginning of the place.
    let place: String
    /// The exchanges; none for all of the method.
    let labels: [String]
    /// The reason.
    let why: String

    init(_ method: String, _ place: String, in labels: String..., why: String) {
        self.method = method
        self.place = place
        self.labels = labels
        self.why = why
    }

    func covers(_ difference: AnswerDifference) -> Bool {
        method == difference.method && difference.place.hasPrefix(place)
            && (labels.isEmpty || labels.contains(difference.label))
    }

    /// Whether something of this line is no difference any more.
    func isOutdated(_ differences: [AnswerDifference]) -> Bool {
        let covered = Set(differences.filter(covers).map(\.label))
        return covered.isEmpty || !covered.isSuperset(of: labels)
    }
}
