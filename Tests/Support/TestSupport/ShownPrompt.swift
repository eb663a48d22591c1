package import DaybookEncoding

extension JSON {
    /// The amount or the detail of a prompt with this name.
    package func shown(_ name: String) -> String? {
        func line(_ list: String, _ member: String) -> String? {
            let line = self[list]?.arrayValue?.first { $0["name"]?.stringValue == name }
            return line?[member]?.stringValue
        }
        return line("amounts", "amount") ?? line("details", "text")
    }
}
