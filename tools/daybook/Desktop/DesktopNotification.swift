import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// A notification of the desktop, shown by libnotify's `notify-send`.
struct DesktopNotification {
    let title: String
    /// Names and texts, one pair a line.
    var facts: [(String, String)] = []
    /// Names and labels of the buttons.
    var actions: [(name: String, label: String)] = []

    /// How the user answered.
    enum Answer: Equatable {
        /// The name of an action.
        case chosen(String)
        /// The notification was closed, or has no actions.
        case closed
        /// There is no `notify-send`, or no desktop that shows notifications.
        case notShown
    }

    /// More lines would not be shown by most desktops.
    private static let lineLimit = 20
    private static let columns = 120

    /// Shows the notification; with actions it stays until the user answers or closes it.
    func show() throws -> Answer {
        guard let program = ExternalProgram(named: "notify-send") else { return .notShown }
        var words = ["--app-name=Daybook", "--icon=dialog-password"]
        if !actions.isEmpty { words += ["--urgency=critical", "--wait"] }
        words += actions.map { "--action=\($0.name)=\($0.label)" }
        let (status, output) = try program.run(words + ["--", Text.escaped(title), body])
        guard status == 0 else { return .notShown }
        let name = String(decoding: output, as: UTF8.self).prefix { $0 != "\n" }
        guard actions.contains(where: { Text.equal($0.name, name) }) else { return .closed }
        return .chosen(String(name))
    }

    /// The lines of the body, in which `<`, `>` and `&` would be markup.
    private var body: String {
        let lines = facts.prefix(Self.lineLimit).map { name, text in
            let line = "\(name): \(Text.onOneLine(text))"
            return line.count > Self.columns ? line.prefix(Self.columns - 1) + "…" : line
        }
        return (lines + (facts.count > Self.lineLimit ? ["…"] : [])).joined(separator: "\n")
            .replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
    }
}

extension DesktopNotification {
    /// Tells the user of a failure.
    static func tell(_ failure: CommandFailure, _ title: String) {
        // The failure is reported by the command too.
        _ = try? DesktopNotification(
            title: title, facts: [("reason", "\(failure.message) (\(failure.code))")]).show()
    }
}
