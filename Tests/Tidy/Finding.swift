/// A place where a file breaks a rule.
struct Finding: Equatable, Sendable, CustomStringConvertible {
    let path: String
    let line: Int
    let what: String

    var description: String { "\(path):\(line): \(what)" }
}
