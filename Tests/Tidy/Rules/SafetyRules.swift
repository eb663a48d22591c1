/// What is not used to get around the compiler or an error.
enum SafetyRules {
    static let all = [forcing, concurrency, droppedErrors, printing]

    static let forcing = Rule(
        name: "nothing is forced and nothing crashes without saying why",
        failing: [
            "let a = try! f()\n", "let a = b!\n", "let a = f()!.c\n", "let a = b as! C\n",
            "var a: Int!\n", "fatalError()\n", "let a = \"\\(b!)\"\n", "guard a else { abort() }\n",
        ].map { sample($0) },
        passing: [
            "if a != b || !c {}\n", "// Never fatalError(), never try!.\n", "let a = \"b!\"\n",
            "let a = try f()\nprecondition(a > 0, \"because\")\n", "while !(!a) {}\n",
        ].map { sample($0) } + [
            SourceFile(path: "Tests/Unit/DaybookLog/A.swift", text: "let a = try! b!.c()\n")
        ]
    ) { file in
        file.isTest ? [] : findings(#"\btry!|\bfatalError\b|\babort\(|[\w)\]]!(?!=)"#, in: file)
    }

    static let concurrency = Rule(
        name: "nothing gets around the concurrency checks",
        failing: [
            "struct A: @unchecked Sendable {}\n", "Task.detached {}\n",
            "@preconcurrency import Glibc\n", "nonisolated(unsafe) static var a = 1\n",
            "let a = DispatchSemaphore(value: 0)\n",
        ].map { sample($0) },
        passing: [
            sample("struct A: Sendable {}\nlet a = \"@unchecked Sendable\"\n"),
            // A pointer that C promises to leave alone, and that is never assigned again.
            sample("nonisolated(unsafe) static let a: OpaquePointer = b()\n"),
        ]
    ) { file in
        let patterns = [
            #"@unchecked[ \t]+Sendable"#, #"\bTask\.detached\b"#, "@preconcurrency",
            #"nonisolated\(unsafe\)[^\n=]*\bvar\b"#, #"\bDispatchSemaphore\b"#, #"\bsem_wait\b"#,
        ]
        return findings(patterns.joined(separator: "|"), in: file)
    }

    static let droppedErrors = Rule(
        name: "no catch drops an error",
        failing: [
            sample("do { try f() } catch {}\n"), sample("do { try f() } catch {\n    \n}\n"),
            sample("do { try f() } catch {\n    // It does not matter.\n}\n"),
        ],
        passing: [
            sample("do { try f() } catch {\n    throw A(error)\n}\n"),
            sample("let a = try? f()\n"),
        ]
    ) { file in
        file.isTest ? [] : findings(#"\bcatch\b[^{}\n]*\{\s*\}"#, in: file)
    }

    static let printing = Rule(
        name: "only the console writes to a terminal",
        failing: [
            SourceFile(
                path: "tools/daybook/A.swift",
                text: "try StandardStreams.write(event.type, to: .output)\n"),
            SourceFile(path: "tools/daybook-replay/A.swift", text: "print(event.type)\n"),
            SourceFile(path: "Sources/Daybook/A.swift", text: "debugPrint(a)\n"),
        ],
        passing: [
            SourceFile(path: "tools/daybook/A.swift", text: "try console.note(\"\\(a)\")\n"),
            SourceFile(path: "tools/daybook/A.swift", text: "let a = fingerprint(b)\n"),
            SourceFile(
                path: "Sources/DaybookCommands/A.swift",
                text: "try StandardStreams.write(line.text, to: .error)\n"),
        ],
        exceptions: [
            "tools/daybook/Commands/TransferCommands.swift":
                "an export's bytes stay what they are",
            "tools/daybook/Commands/WalletAddCommand.swift": "a wallet's words are wiped at once",
            "tools/daybook-bench/Logs/LogCommand.swift": "a count is written over itself",
        ]
    ) { file in
        guard file.isSwift, !file.isTest, file.module != "DaybookCommands" else { return [] }
        return findings(#"\bStandardStreams\.write\b|(?<![\w.])(?:debugP|p)rint\("#, in: file)
    }

    private static func findings(_ pattern: String, in file: SourceFile) -> [Finding] {
        Pattern(pattern).matches(in: file.code).map {
            Finding(path: file.path, line: $0.line, what: $0.groups[0])
        }
    }

    private static func sample(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/DaybookSystem/A.swift", text: text)
    }
}
