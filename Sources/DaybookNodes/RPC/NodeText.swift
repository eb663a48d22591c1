import DaybookEncoding

/// Text that a node wrote, made fit to be shown and recorded.
enum NodeText {
    /// No more bytes of it are kept.
    static let longest = 200

    /// The text escaped and cut.
    static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            let next = Text.escaped(String(scalar))
            guard quoted.utf8.count + next.utf8.count <= longest else { return quoted + "…" }
            quoted += next
        }
        return quoted
    }
}
