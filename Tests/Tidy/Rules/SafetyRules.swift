/// Rules against ways around the compiler or an error.
enum SafetyRules {
    static let all = [forcing, concurrency, droppedErrors, printing, onePath, wholeSwitches]

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

    /// A new action or status must not fall into a case that nobody thought of.
    static let wholeSwitches = Rule(
        name: "a switch over actions, remedies or statuses lists every case",
        failing: [
            "switch request.action {\ncase .pay: 1\ndefault: 2\n}\n",
            "    switch row.request?.action {\n    case .pay: 1\n    default: 2\n    }\n",
            "switch row.status {\ncase .sent:\n    switch a {\n    default: 1\n    }\n"
                + "default: 2\n}\n",
            "let a = switch remedy {\ncase .bump where b: 1\ndefault: 2\n}\n",
            "extension Action {\n    var a: Int {\n        switch self {\n        default: 1\n"
                + "        }\n    }\n}\n",
        ].map { sample($0) },
        passing: [
            "switch request.action {\ncase .pay: 1\ncase .bind: 2\n}\n",
            "switch row.status {\ncase .sent:\n    switch a {\n    default: 1\n    }\n"
                + "case .signed: 2\n}\n",
            "switch transaction {\ndefault: 1\n}\n",
            "extension Letter {\n    var a: Int {\n        switch self {\n        default: 1\n"
                + "        }\n    }\n}\n",
        ].map { sample($0) }
    ) { file in
        file.isTest ? [] : findings(
            #"^( *)[^\n/]*\bswitch ([\w.?]*\.)?(action|remedy|status) \{\n"#
                + #"((?!\1\}).*\n)*?\1default:"#
                + #"|^extension ([\w.]*\.)?(Action|Remedy|Status) \{\n((?!\}).*\n)*?"#
                + #"( *)switch self \{\n((?!\8\}).*\n)*?\8default:"#,
            in: file)
    }

    /// Money and play money take one path: what a chain can do is told by its client's answers.
    static let onePath = Rule(
        name: "nothing names the embedded network but what must",
        failing: [
            "if wallet.network == .sandbox { scan() }\n", "guard .sandbox != network else {}\n",
            "switch network {\ncase .sandbox: scan()\ndefault: ask()\n}\n",
            "switch network {\ncase .regtest, .sandbox: scan()\n}\n",
            "if chainID == ChainID(.dash, .sandbox) { scan() }\n",
            "let isPlay = [Network.sandbox].contains(network)\n",
            "let isPlay = network == Network.sandbox\n",
        ].map { sample($0) } + [
            SourceFile(path: "tools/daybook/A.swift", text: "let play = network != .sandbox\n")
        ],
        passing: [
            "func add(network: NetworkName = .sandbox) {}\n", "folder.sandbox = path\n",
            "let network = try choice() ?? .sandbox\n", "// As on .sandbox.\n",
            "let client = chains.clients[chainID]\n",
        ].map { sample($0) } + [
            SourceFile(
                path: "Sources/DaybookNodes/A.swift", text: "if network == .sandbox {}\n"),
            SourceFile(path: "Tests/Unit/Daybook/A.swift", text: "add(.sandbox)\n"),
        ],
        exceptions: [
            "Sources/Daybook/Nodes/SandboxChains.swift": "makes the clients of the chains",
            "Sources/Daybook/Nodes/NodeSettings.swift": "refuses to set a node for them",
            "Sources/Daybook/Store+Nodes.swift": "refuses to check a node of them",
            "Sources/Daybook/Store+Sandbox.swift": "funds wallets and mines, only there",
            "Sources/Daybook/Store+Wallets.swift": "the number of each network on ICON",
            "Sources/Daybook/Views/Wallet.swift": "the networks of the API",
            "Sources/DaybookChains/Chain.swift": "the networks, in their order",
            "Sources/DaybookChains/UTXO/UTXOAddress.swift": "the formats of keys and addresses",
            "Sources/DaybookReplay/Report/Report.swift": "says that the coins are play money",
        ]
    ) { file in
        let isProduct =
            file.path.hasPrefix("Sources/") || file.path.hasPrefix("tools/daybook/")
        if !isProduct || file.module == "DaybookNodes" { return [] }
        // A property of this name is a folder or a storage; a default chooses nothing else.
        let bare = #"(?<![\w)\]?])(?<!Name = )(?<!\?\? )\.sandbox\b"#
        return findings(bare + #"|\bNetwork(?:Name)?\.sandbox\b"#, in: file)
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
            "tools/daybook/Secrets.swift": "a wallet's words are wiped at once",
            "tools/daybook-bench/Logs/LogCommand.swift": "a count is written over itself",
        ]
    ) { file in
        guard file.isSwift, !file.isTest, file.module != "DaybookCommands" else { return [] }
        return findings(#"\bStandardStreams\.write\b|(?<![\w.])(?:debugP|p)rint\("#, in: file)
    }

    private static func findings(_ pattern: String, in file: SourceFile) -> [Breach] {
        Pattern(pattern).matches(in: file.code).map {
            Breach(path: file.path, line: $0.line, what: $0.groups[0])
        }
    }

    private static func sample(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/DaybookSystem/A.swift", text: text)
    }
}
