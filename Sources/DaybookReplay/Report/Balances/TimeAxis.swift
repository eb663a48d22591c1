import DaybookEncoding

/// The level axis of a chart: moments in thousandths of the width.
struct TimeAxis {
    private let range: ClosedRange<UInt64>
    /// Moments that are marked, each with what is written there.
    let marks: [(time: UInt64, label: String)]

    init(_ range: ClosedRange<UInt64>) {
        self.range = range
        let length = range.upperBound - range.lowerBound
        let step = Self.steps.first { length / $0 <= 4 } ?? length / 4 + 1
        var marks: [(time: UInt64, label: String)] = []
        var next = range.lowerBound / step * step
        while next <= range.upperBound {
            if next >= range.lowerBound { marks.append((next, Self.label(next, step))) }
            let (sum, isBeyond) = next.addingReportingOverflow(step)
            if isBeyond { break }
            next = sum
        }
        self.marks = marks
    }

    /// Where a moment stands.
    func place(_ time: UInt64) -> Int {
        let length = range.upperBound - range.lowerBound
        guard length > 0 else { return 500 }
        let part = min(max(time, range.lowerBound), range.upperBound) - range.lowerBound
        let (high, low) = part.multipliedFullWidth(by: 1000)
        return Int(clamping: length.dividingFullWidth((high, low)).quotient)
    }

    private static let second: UInt64 = 1_000_000
    private static let day: UInt64 = 86_400 * second

    private static let steps: [UInt64] =
        [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10_800, 21_600, 43_200]
        .map { $0 * second }
        + [1, 2, 7, 14, 30, 90, 180, 365, 730, 1825, 3650].map { $0 * day }

    /// Date or time of day, whichever changes from mark to mark.
    private static func label(_ time: UInt64, _ step: UInt64) -> String {
        let parts = Timestamp.seconds(time).dropLast().split(separator: "T")
        guard parts.count == 2 else { return "" }
        if step >= day { return String(parts[0]) }
        return String(step < 60 * second ? parts[1] : parts[1].prefix(5))
    }
}
