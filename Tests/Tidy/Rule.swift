import Testing

/// Something that every file keeps, with samples of keeping and of breaking it.
struct Rule: Sendable, CustomTestStringConvertible {
    /// The rule as a sentence.
    let name: String
    /// Files that break the rule: each must be found out.
    let failing: [SourceFile]
    /// Files that keep it, as near to the border as they can be.
    let passing: [SourceFile]
    /// Files that may break it, each with the reason.
    var exceptions: [String: String] = [:]
    /// The breaches of the rule in a file.
    let check: @Sendable (SourceFile) -> [Breach]

    var testDescription: String { name }
}

/// Something that the tree of files keeps as a whole, with samples of keeping and of breaking it.
struct TreeRule: Sendable, CustomTestStringConvertible {
    /// The rule as a sentence.
    let name: String
    /// Trees that break the rule: each must be found out.
    let failing: [SourceTree]
    /// Trees that keep it, as near to the border as they can be.
    let passing: [SourceTree]
    /// Folders, files or names that may break it, each with the reason.
    var exceptions: [String: String] = [:]
    /// The breaches of the rule in a tree; a finding's path is the name for an exception.
    let check: @Sendable (SourceTree) -> [Breach]

    var testDescription: String { name }
}

/// A place where a file breaks a rule.
struct Breach: Equatable, Sendable, CustomStringConvertible {
    let path: String
    let line: Int
    let what: String

    var description: String { "\(path):\(line): \(what)" }
}
