import DaybookEncoding
import DaybookSystem

/// A terminal of the desktop, in which a command asks the user.
enum DesktopTerminal {
    /// Programs, and the option before the command that they run.
    private static let known: [(name: String, option: String)] = [
        ("x-terminal-emulator", "-e"), ("gnome-terminal", "--"), ("konsole", "-e"),
        ("xfce4-terminal", "-x"), ("alacritty", "-e"), ("kitty", "-e"), ("foot", "-e"),
        ("xterm", "-e"),
    ]

    /// Starts this program in a new terminal; returns whether there is one.
    static func start(_ words: [String]) async throws -> Bool {
        let own = EnvironmentVariables.value("TERMINAL").map { [(name: $0, option: "-e")] } ?? []
        for terminal in own + known {
            guard let program = ExternalProgram(named: terminal.name) else { continue }
            let itself = try Files.resolved("/proc/self/exe")
            let started = try program.start([terminal.option, itself] + words)
            // Some terminals go on, others hand the window to a server and end.
            return await started.status(within: .seconds(1)) ?? 0 == 0
        }
        return false
    }
}
