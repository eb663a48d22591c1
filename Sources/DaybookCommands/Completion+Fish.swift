extension Completion {
    /// The rules of fish, and the functions in their conditions.
    var fish: String {
        let name = program.name
        let function = "__\(name.replacing("-", with: "_"))"
        let plain = """
            # Completes \(name) in fish.
            function \(function)_plain
                set -l words (commandline -opc)
                set -l expects 0
                for word in $words[2..-1]
                    if test $expects = 1
                        set expects 0
                        continue
                    end
                    switch $word
                        case \(optionsWithValues.map(\.name).joined(separator: " "))
                            set expects 1
                        case '-?*'
                        case '*'
                            printf '%s\\n' $word
                    end
                end
            end
            function \(function)_is
                test (string join ' ' -- (\(function)_plain) '') = (string join ' ' -- $argv '')
            end
            function \(function)_in
                string match -q -- (string join ' ' -- $argv '')'*' \\
                    (string join ' ' -- (\(function)_plain) '')
            end
            function \(function)_count
                test (count (\(function)_plain)) = $argv[1]
            end
            complete -c \(name) -f
            """
        return ([plain] + fishRules(function)).joined(separator: "\n") + "\n"
    }

    private func fishRules(_ function: String) -> [String] {
        func rule(_ condition: String, _ rest: String) -> String {
            "complete -c \(program.name) -n \(Self.quoted(condition)) \(rest)"
        }
        func word(_ entry: Entry) -> String {
            "-a \(entry.word) -d \(Self.quoted(entry.summary))"
        }
        func flag(_ option: Command.Option) -> String {
            let action = option.value.map { " " + fishAction(values(of: $0)) } ?? ""
            return "-l \(option.name.dropFirst(2))\(action) -d \(Self.quoted(option.help))"
        }
        let words = firstWords.map { rule("\(function)_is", word($0)) }
            + groups.flatMap { group in
                members(of: group).map { rule("\(function)_is \(group)", word($0)) }
            }
        let options = program.commands.flatMap { command in
            command.options.map { rule("\(function)_in \(command.name)", flag($0)) }
        }
        let common = (program.options + Program.everywhere).map { option in
            "complete -c \(program.name) \(flag(option))"
        }
        let arguments = places.map { place in
            let count = place.command.words.count + place.index
            return rule(
                "\(function)_in \(place.command.name); and \(function)_count \(count)",
                place.values == .files ? "-F" : fishWords(place.values))
        }
        return words + options + common + arguments
    }

    private func fishAction(_ values: Values) -> String {
        switch values {
        case .files: "-r -F"
        case .words, .listed, .described, .unknown: "-x \(fishWords(values))".trimmedEnd
        }
    }

    private func fishWords(_ values: Values) -> String {
        switch values {
        case .words(let words): return "-a \(Self.quoted(words.joined(separator: " ")))"
        case .listed(let list):
            let call = "(command \(program.name) complete \(list) 2>/dev/null)"
            return "-a \(Self.quoted(call))"
        case .files, .described, .unknown: return ""
        }
    }
}

extension String {
    /// The text without a space at its end.
    fileprivate var trimmedEnd: String { last == " " ? String(dropLast()) : self }
}
