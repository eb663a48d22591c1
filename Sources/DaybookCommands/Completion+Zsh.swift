extension Completion {
    /// The function of zsh, which its completion system loads by its first line.
    var zsh: String {
        """
        #compdef \(program.name)
        # Completes \(program.name) in zsh.
        local word expects command
        local -a plain found
        local -i i count=1
        for ((i = 2; i < CURRENT; i++)); do
            word=${words[i]}
            if [[ -n $expects ]]; then expects=; continue; fi
            case $word in
            (\(valueOptions)) expects=$word ;;
            (-?*) ;;
            (*) plain+=("$word") ;;
            esac
        done
        if [[ -n $expects ]]; then
            case $expects in
        \(cases(optionCases, indent: 4, zshAction))
            esac
            return
        fi
        command=${plain[1]}
        if [[ -n $command && ' \(groups.joined(separator: " ")) ' == *" $command "* ]]; then
            command="${plain[1,2]}"
            count=2
        fi
        if [[ ${words[CURRENT]} == -* ]]; then
            case $command in
        \(zshOptions)
            esac
            _describe -o option found
            return
        fi
        case "$((${#plain} - count)) $command" in
        \(zshPlaces)
        esac

        """
    }

    private func zshAction(_ values: Values) -> String {
        switch values {
        case .files: "_files"
        case .words(let words): "compadd -- \(words.joined(separator: " "))"
        case .unknown: ":"
        }
    }

    private var zshOptions: String {
        let common = program.options + Program.everywhere
        let cases = program.commands.map { command in
            "    (\(Self.quoted(command.name))) found=(\(described(options(of: command)))) ;;"
        }
        return (cases + ["    (*) found=(\(described(common))) ;;"]).joined(separator: "\n")
    }

    private var zshPlaces: String {
        func described(_ pattern: String, _ words: [(word: String, summary: String)]) -> String {
            let entries = words.map { entry($0.word, $0.summary) }.joined(separator: " ")
            return "(\(pattern)) found=(\(entries)); _describe command found ;;"
        }
        let commands = [described("'-1 '", firstWords)]
            + groups.map { described("'-1 \($0)'", members(of: $0)) }
        let arguments = places.map { place in
            let pattern = Self.quoted("\(place.index) \(place.command.name)")
            return "(\(pattern)) \(zshAction(place.values)) ;;"
        }
        return (commands + arguments).joined(separator: "\n")
    }

    private func described(_ options: [Command.Option]) -> String {
        options.map { entry($0.name, $0.help) }.joined(separator: " ")
    }

    /// A word with its description, as `_describe` reads them.
    private func entry(_ word: String, _ summary: String) -> String {
        Self.quoted("\(word):\(summary)")
    }
}
