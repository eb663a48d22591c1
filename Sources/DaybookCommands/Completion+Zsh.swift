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
        command=${plain[1]}
        if [[ -n $command && ' \(groups.joined(separator: " ")) ' == *" $command "* ]]; then
            command="${plain[1,2]}"
            count=2
        fi
        if [[ -n $expects ]]; then
            case "$command $expects" in
        \(cases(optionCases, indent: 4, zshAction))
            esac
            return
        fi
        if [[ ${words[CURRENT]} == -* ]]; then
            case $command in
        \(cases(commandOptions, indent: 4, zshAction))
            esac
            return
        fi
        case "$((${#plain} - count)) $command" in
        \(cases(placeCases, indent: 0, zshAction))
        esac

        """
    }

    private func zshAction(_ values: Values) -> String {
        switch values {
        case .files: "_files"
        case .words(let words): "compadd -- \(words.joined(separator: " "))"
        case .listed(let list):
            "found=(${(f)\"$(command \(program.name) complete \(list) 2>/dev/null)\"}); "
                + "compadd -- \"${found[@]}\""
        case .described(let kind, let entries):
            "found=(\(entries.map(Self.described).joined(separator: " "))); "
                + "_describe \(kind.rawValue) found"
        case .unknown: ":"
        }
    }

    /// A word with its description, as `_describe` reads them.
    private static func described(_ entry: Entry) -> String {
        quoted("\(entry.word):\(entry.summary)")
    }
}
