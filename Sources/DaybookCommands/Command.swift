/// One command of a program: how it is called, what it says about itself, and what it does.
package struct Command: Sendable {
    /// An option: `--name`, or `--name VALUE`.
    package struct Option: Sendable {
        package let name: String
        /// What stands for the value in the help; nil for an option without one.
        package let value: String?
        package let help: String

        package init(_ name: String, _ value: String? = nil, _ help: String) {
            self.name = name
            self.value = value
            self.help = help
        }
    }

    /// The words that call it, such as `wallet add`.
    package let name: String
    /// The arguments as the help shows them, such as `W AMOUNT`.
    package let arguments: String
    /// How many arguments there may be.
    package let count: ClosedRange<Int>
    package let summary: String
    package let options: [Option]
    /// Whether it does more than to show: then its words must not get lost unnoticed.
    package let changes: Bool
    /// Does it; returns the exit status.
    package let run: @Sendable (Invocation) async throws -> ExitStatus

    package init(
        _ name: String, _ arguments: String = "", count: ClosedRange<Int> = 0...0,
        does summary: String, options: [Option] = [], changes: Bool = false,
        run: @escaping @Sendable (Invocation) async throws -> ExitStatus
    ) {
        self.name = name
        self.arguments = arguments
        self.count = count
        self.summary = summary
        self.options = options
        self.changes = changes
        self.run = run
    }

    var words: [String] { name.split(separator: " ").map(String.init) }
}
