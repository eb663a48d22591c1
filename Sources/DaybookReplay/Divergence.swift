package import DaybookEncoding

/// A place where the log does not say what deciding again says.
package struct Divergence: Equatable, Sendable {
    package let position: Position
    /// The first field that differs, such as `type` or `data.url`.
    package let field: String
    package let recorded: String
    package let produced: String

    package init(position: Position, field: String, recorded: String, produced: String) {
        self.position = position
        self.field = field
        self.recorded = recorded
        self.produced = produced
    }
}
