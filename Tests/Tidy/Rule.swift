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
    /// What breaks the rule in a file.
    let check: @Sendable (SourceFile) -> [Finding]

    var testDescription: String { name }
}
