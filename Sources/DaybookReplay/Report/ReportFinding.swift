package import DaybookEncoding
import DaybookDomain

/// Something wrong with a log, found by replaying or auditing it.
package struct ReportFinding: Equatable, Sendable {
    /// The event at which it shows; nil when it concerns the log as a whole.
    package let position: Position?
    /// The rule that was broken, such as `replay`.
    package let rule: String
    package let message: String

    package init(position: Position?, rule: String, message: String) {
        self.position = position
        self.rule = rule
        self.message = message
    }
}
