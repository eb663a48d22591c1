/// Rules for the sentences of comments, in every language of the repository.
enum EnglishRules {
    static let all = [subjects]

    static let subjects = Rule(
        name: "no sentence of a comment has a free relative as its subject",
        failing: [
            sample("A.swift", "/// What a wallet holds.\nlet a = 1\n"),
            sample("A.swift", "let a = 1 " + "// It ends. Whoever waits is told.\n"),
            sample("A.swift", "/// It ends:\n/// Who can, may.\nlet a = 1\n"),
            sample("a.js", "  " + "// What waits, and callbacks.\n"),
            sample("a.css", "/* Whatever does not fit is scrolled. */\n"),
            sample("a.c", "/* It is one.\n * Whichever comes first counts. */\n"),
            sample("a.h", "/** What a function returns. */\n"),
            sample("a.py", "# What is read\n"),
            sample("a.py", "def a():\n    \"\"\"What programs answer.\"\"\"\n"),
            sample("a.sh", "run " + "# What a change has to pass.\n"),
            sample("a", "#!/bin/sh\n# Whoever runs it waits.\n"),
        ],
        passing: [
            sample("A.swift", "/// The balance: what a wallet holds.\nlet a = 1\n"),
            sample("A.swift", "/// What does it hold? The balance.\nlet what = \"What waits.\"\n"),
            sample("a.js", "const title = \"What happened\"; // Whose is it?\n"),
            sample("a.css", "/* Figures, whatever their length, are scrolled. */\n"),
            sample("a.py", "# The calls. They read what is there.\n"),
        ]
    ) { file in
        freeRelative.matches(in: file.text).map {
            Breach(path: file.path, line: $0.line, what: "a sentence of \($0.groups[1]) …")
        }
    }

    private static func sample(_ name: String, _ text: String) -> SourceFile {
        SourceFile(path: "Sources/DaybookPage/\(name)", text: text)
    }

    /// The beginning of a sentence in a comment or a docstring, if no question follows.
    private static let freeRelative = Pattern(
        #"(?:(?:^|[ \t])(?:///?|/\*\*?|#)[ \t]+(?:[^\n]*[.:!?;][ \t]+)?|^[ \t]*\*[ \t]+|""""#
            + #")(What(?:ever)?|Who(?:ever)?|Whichever)\b(?![^.\n]*\?)"#)
}
