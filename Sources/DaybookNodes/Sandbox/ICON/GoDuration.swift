/// Durations as Go prints them, which is how a goloop node tells by how much a time is off.
enum GoDuration {
    /// The text of some microseconds, such as `4m58.069975s`, `214.695ms` or `3µs`.
    static func text(_ microseconds: UInt64) -> String {
        switch microseconds {
        case 0: return "0s"
        case ..<1_000: return "\(microseconds)µs"
        case ..<1_000_000: return decimal(microseconds, digits: 3) + "ms"
        default: break
        }
        let (minutes, rest) = microseconds.quotientAndRemainder(dividingBy: 60_000_000)
        let seconds = decimal(rest, digits: 6) + "s"
        guard minutes > 0 else { return seconds }
        guard minutes >= 60 else { return "\(minutes)m" + seconds }
        return "\(minutes / 60)h\(minutes % 60)m" + seconds
    }

    /// A number with a decimal point before its last digits, without zeros at the end.
    private static func decimal(_ number: UInt64, digits: Int) -> String {
        var scale: UInt64 = 1
        for _ in 0..<digits { scale *= 10 }
        let (whole, part) = number.quotientAndRemainder(dividingBy: scale)
        guard part > 0 else { return String(whole) }
        let text = String(String(part + scale).dropFirst())
        let zeros = text.reversed().prefix { $0 == "0" }.count
        return "\(whole).\(text.dropLast(zeros))"
    }
}
