extension Completion {
    /// The function of bash, and the line that registers it.
    ///
    /// It needs no package bash-completion, and sets `COMPREPLY` as the bash manual says.
    var bash: String {
        let function = "_\(program.name.replacing("-", with: "_"))"
        return """
            # Completes \(program.name) in bash.
            \(function)() {
                local cur=${COMP_WORDS[COMP_CWORD]} word expects= command
                local -a plain=()
                local -i i count=1
                COMPREPLY=()
                for ((i = 1; i < COMP_CWORD; i++)); do
                    word=${COMP_WORDS[i]}
                    if [[ -n $expects ]]; then expects=; continue; fi
                    case $word in
                    \(valueOptions)) expects=$word ;;
                    -?*) ;;
                    *) plain+=("$word") ;;
                    esac
                done
                command=${plain[0]-}
                if [[ -n $command && ' \(groups.joined(separator: " ")) ' == *" $command "* ]]; then
                    command="${plain[*]:0:2}"
                    count=2
                fi
                if [[ -n $expects ]]; then
                    case "$command $expects" in
            \(cases(optionCases, indent: 8, bashAction))
                    esac
                    return
                fi
                if [[ $cur == -* ]]; then
                    case $command in
            \(cases(commandOptions, indent: 8, bashAction))
                    esac
                    return
                fi
                case "$((${#plain[@]} - count)) $command" in
            \(cases(placeCases, indent: 4, bashAction))
                esac
            }
            \(function)_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
            \(function)_files() {
                # Fails where nothing is completed, as in a test.
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            }
            \(function)_listed() {
                local line
                # A word of the store's is compared and quoted, and never expanded.
                while IFS= read -r line; do
                    if [[ $line == "$cur"* ]]; then COMPREPLY+=("$(printf %q "$line")"); fi
                done < <(command \(program.name) complete "$1" 2>/dev/null)
            }
            complete -F \(function) \(program.name)

            """
    }

    private func bashAction(_ values: Values) -> String {
        let function = "_\(program.name.replacing("-", with: "_"))"
        return switch values {
        case .files: "\(function)_files"
        case .words(let words):
            "\(function)_words \(Self.quoted(words.joined(separator: " ")))"
        case .listed(let list): "\(function)_listed \(list)"
        case .described(_, let entries):
            "\(function)_words \(Self.quoted(entries.map(\.word).joined(separator: " ")))"
        case .unknown: ":"
        }
    }

    /// The pattern of options that take a value.
    var valueOptions: String { optionsWithValues.map(\.name).joined(separator: "|") }

    /// The values of each option behind its command, with those that share them in one pattern.
    ///
    /// An option that means something else with some commands comes with these first.
    var optionCases: [(pattern: String, values: Values)] {
        var cases: [(patterns: [String], values: Values)] = []
        func add(_ pattern: String, _ values: Values) {
            if let index = cases.firstIndex(where: { $0.values == values }) {
                cases[index].patterns.append(pattern)
            } else {
                cases.append(([pattern], values))
            }
        }
        let usual = optionsWithValues
        var others: [(pattern: String, values: Values)] = []
        for command in program.commands {
            for option in command.options {
                guard let value = option.value,
                    let first = usual.first(where: { $0.name == option.name })?.value
                else { continue }
                let own = values(of: value)
                if own == values(of: first) { continue }
                others.append((Self.quoted("\(command.name) \(option.name)"), own))
            }
        }
        for option in usual {
            let values = values(of: option.value ?? "")
            if values != .unknown { add("*" + Self.quoted(" \(option.name)"), values) }
        }
        return others + cases.map { ($0.patterns.joined(separator: "|"), $0.values) }
    }

    /// The options of each command.
    var commandOptions: [(pattern: String, values: Values)] {
        program.commands.map { command in
            (Self.quoted(command.name), described(options(of: command)))
        } + [("*", described(program.options + Program.everywhere))]
    }

    private func described(_ options: [Command.Option]) -> Values {
        .described(.option, options.map { Entry($0.name, $0.help) })
    }

    /// The plain words after others: the number of arguments, the command, and what can follow.
    var placeCases: [(pattern: String, values: Values)] {
        // Without a command there is one word less than the command has.
        [("'-1 '", .described(.command, firstWords))]
            + groups.map { ("'-1 \($0)'", .described(.command, members(of: $0))) }
            + places.map { (Self.quoted("\($0.index) \($0.command.name)"), $0.values) }
    }

    /// The lines of a shell's `case`.
    func cases(
        _ cases: [(pattern: String, values: Values)], indent: Int,
        _ action: (Values) -> String
    ) -> String {
        let margin = String(repeating: " ", count: indent)
        return cases.map { "\(margin)\($0.pattern)) \(action($0.values)) ;;" }
            .joined(separator: "\n")
    }
}
