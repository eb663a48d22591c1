import Foundation
import TestSupport
import Testing

/// Every option and argument of every command that is a number, at the ends of what it can be.
///
/// The programs' help is the list: a placeholder that this test does not know fails it.
struct OptionNumberTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    @Test(arguments: ["daybook", "daybook-replay"])
    func `no number on a command line ends a program by a signal`(program: String) throws {
        let commands = try CommandHelp.commands(of: program)
        try #require(commands.count > 5)
        var tried = 0
        for command in commands {
            for (place, placeholder) in command.places {
                guard try isNumber(placeholder) else { continue }
                for number in Self.numbers {
                    // This one is taken, and goes on for ever.
                    if place == .option("--interval"), number == "1" { continue }
                    let words = try call(command, place, number)
                    let answer = try run(program, words)
                    // 0 to 5 are the documented statuses; -1 and 128 or more are those of signals.
                    let isStatus = (0...5).contains(answer.status)
                    #expect(isStatus, "\(words): \(answer.status) \(answer.error)")
                    tried += 1
                }
            }
        }
        #expect(tried >= (program == "daybook" ? 25 : 4) * Self.numbers.count)
    }

    /// The limits of every number that is accepted, the first ones that are not, and no numbers.
    private static let numbers = [
        "0", "1", "2147483648", "4294967295", "9007199254740991", "9007199254740992",
        "18446744073709551615", "-1",
    ]

    @Test func `numbers of command lines are whole, without a sign and not above the greatest`()
        throws
    {
        for word in OutsideNumbers.words {
            let isNumber = UInt64(word).map { $0 < 1 << 53 && "\($0)" == word } ?? false
            let answer = try scene.daybook("show", word)
            #expect(answer.code == (isNumber ? "unknownRequest" : "usage"), "\(word)")
        }
    }

    private func isNumber(_ placeholder: String) throws -> Bool {
        if ["N", "SECONDS", "AMOUNT", "A", "CODE", "Y", "N=approve|reject"].contains(placeholder) {
            return true
        }
        let others: Set<String> = [
            "W", "LABEL", "URL", "URL...", "FILE", "FILE.html", "CHAIN", "NETWORK", "FAULT",
            "MESSAGE", "KEY", "VALUE", "DIR", "bash|zsh|fish", "SOURCE", "B", "F", "FORMAT", "L",
            "PATH", "PEM", "S", "U", "XPUB", "DIGEST", "A,B", "COIN", "COIN...", "ABOUT", "TEXT",
            "T", "FORM", "requests|wallets", "M", "RESULT", "FOLDER",
            "ASSET", "CURRENCY", "PRICE", "C", "HOST:PORT", "STATUS", "text|json",
        ]
        try #require(others.contains(placeholder), "say whether \(placeholder) is a number")
        return false
    }

    /// The words of a call whose number stands at a place: an option, or an argument's index.
    private func call(
        _ command: CommandHelp, _ place: CommandHelp.Place, _ number: String
    ) throws -> [String] {
        var words = command.name.split(separator: " ").map(String.init)
        let arguments = command.arguments.enumerated().map { index, placeholder in
            place == .argument(index) ? number : usual(placeholder)
        }
        switch place {
        case .argument(let last):
            words += arguments.prefix(max(last + 1, command.required))
            if case "FAULT" = command.arguments.dropFirst().first {
                words = words.prefix(3) + ["refuse-next", number, "message"]
            }
        case .option(let name):
            words += arguments.prefix(command.required)
            words.append("\(name)=\(number)" + (name == "--decide" ? "=approve" : ""))
        }
        return words + (Self.companions[command.name] ?? [])
            + (place.option.flatMap { Self.companions[$0] } ?? [])
    }

    private func usual(_ placeholder: String) -> String {
        switch placeholder {
        case "W": "my-dash"
        case "N": "1"
        case "CHAIN": "dash"
        case "SOURCE": scene.home
        case "FILE": scene.path("out-\(UUID().uuidString)")
        case "AMOUNT": "1"
        default: placeholder
        }
    }

    /// The options that a command or an option needs.
    private static let companions: [String: [String]] = [
        "wallet add": ["--chain", "icon", "--watch", Scene.icon],
        "--interval": ["--follow"],
        "--checkpoint-every": ["--stdio"],
        "--port": ["--page", "--stdio"],
        "--open-logs": ["--logs", "--stdio", "--store", "postgres:///none?host=/nowhere"],
        "gains": ["--currency", "EUR"],
        "archive": ["--to", "/dev/null/archive"],
    ]

    /// Runs a call whose input is empty, which ends a server.
    private func run(_ program: String, _ words: [String]) throws -> ProgramRun {
        let running = try RunningProgram(
            ["\(Programs.folder)/\(program)"] + words, environment: ["DAYBOOK_HOME": scene.home],
            hasInput: true)
        running.input?.close()
        return running.end()
    }
}

/// A command as a program's help shows it: its arguments and its own options with a value.
struct CommandHelp {
    let name: String
    /// The placeholders of the arguments, without brackets.
    let arguments: [String]
    /// How many of them are needed.
    let required: Int
    let options: [(name: String, value: String)]

    enum Place: Equatable {
        case argument(Int)
        case option(String)

        var option: String? {
            if case .option(let name) = self { name } else { nil }
        }
    }

    /// Where a value stands, with its placeholder.
    var places: [(Place, String)] {
        arguments.enumerated().map { (.argument($0.offset), $0.element) }
            + options.map { (.option($0.name), $0.value) }
    }

    static func commands(of program: String) throws -> [CommandHelp] {
        let lines = try help(program, []).map { line in
            line.split(separator: " ").map(String.init)
        }
        return try lines.map { words in
            let name = words.prefix { $0.first?.isLowercase == true && !$0.contains("|") }
            let forms = words.dropFirst(name.count)
            let open = forms.firstIndex { $0.hasPrefix("[") } ?? forms.endIndex
            let options = try help(program, Array(name)).map { line in
                let parts = line.split(separator: " ").map(String.init)
                return (name: parts[0], value: parts.dropFirst().joined(separator: " "))
            }
            return CommandHelp(
                name: name.joined(separator: " "),
                arguments: forms.map { form in
                    form.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
                },
                required: open - forms.startIndex, options: options.filter { !$0.value.isEmpty })
        }
    }

    /// The words before the explanation on each line about a command or one of its own options.
    private static func help(_ program: String, _ words: [String]) throws -> [String] {
        try Programs.run(["\(Programs.folder)/\(program)"] + words + ["--help"]).output
            .components(separatedBy: "options of every command:")[0]
            .components(separatedBy: "\n").filter { $0.hasPrefix("  ") }
            .map { $0.dropFirst(2).components(separatedBy: "  ")[0] }
    }
}
