/// The modules that each module may import; `docs/ARCHITECTURE.md` says what each module is for.
enum ModuleRules {
    static let all = [table, cLibraries]

    /// The imports that each module may have; a program's folder counts as a module.
    static let allowed: [String: Set<String>] = [
        "DaybookEncoding": [],
        "DaybookCrypto": ["DaybookEncoding", "CSecp256k1", "COpenSSL", "Synchronization"],
        "DaybookSystem": ["CLinux", "Dispatch", "Glibc", "Synchronization"],
        "DaybookChains": ["DaybookEncoding", "DaybookCrypto"],
        "DaybookDomain": [
            "DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookUpcasters",
            "Synchronization",
        ],
        "DaybookUpcasters": ["DaybookEncoding"],
        "DaybookLinks": ["DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookDomain"],
        "DaybookLMDB": ["CLMDB", "DaybookSystem", "Synchronization"],
        "DaybookLog": [
            "DaybookEncoding", "DaybookCrypto", "DaybookSystem", "DaybookChains", "DaybookDomain",
            "DaybookLMDB",
        ],
        "DaybookMigrations": ["DaybookEncoding", "DaybookLog", "DaybookLMDB"],
        "DaybookPostgres": [
            "CPostgres", "DaybookEncoding", "DaybookSystem", "DaybookLog", "DaybookMigrations",
        ],
        "DaybookReplay": [
            "DaybookEncoding", "DaybookCrypto", "DaybookSystem", "DaybookChains", "DaybookDomain",
            "DaybookLinks", "DaybookLMDB", "DaybookLog", "DaybookMigrations",
        ],
        "DaybookSigner": [
            "DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookSystem",
        ],
        "DaybookNodes": [
            "CCurl", "DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookDomain",
            "Dispatch", "Synchronization",
        ],
        "Daybook": [
            "DaybookEncoding", "DaybookCrypto", "DaybookLog", "DaybookSystem", "DaybookChains",
            "DaybookDomain", "DaybookLinks", "DaybookReplay", "DaybookLMDB", "DaybookMigrations",
            "DaybookPostgres", "DaybookNodes", "DaybookSigner",
        ],
        "DaybookFoundation": ["Daybook", "DaybookEncoding", "FoundationEssentials"],
        "DaybookTesting": [
            "Daybook", "DaybookCrypto", "DaybookEncoding", "DaybookLog", "DaybookSystem",
        ],
        "DaybookCommands": ["DaybookEncoding", "DaybookSystem"],
        "DaybookCalls": ["Daybook", "DaybookCommands", "DaybookEncoding", "DaybookSystem"],
        "DaybookC": [
            "CDaybook", "Daybook", "DaybookCalls", "DaybookCommands", "DaybookEncoding",
            "DaybookSystem",
        ],
        "DaybookPage": [
            "CMicroHTTPD", "CQREncode", "Daybook", "DaybookCalls", "DaybookCommands",
            "DaybookEncoding", "DaybookSystem", "Synchronization",
        ],
        "tools/daybook": [
            "Daybook", "DaybookCalls", "DaybookPage", "DaybookCommands", "DaybookEncoding",
            "DaybookSystem",
        ],
        "tools/daybook-replay": [
            "DaybookReplay", "DaybookPostgres", "DaybookDomain", "DaybookLinks", "DaybookLog",
            "DaybookCommands", "DaybookCrypto", "DaybookEncoding", "DaybookSystem",
        ],
        "tools/daybook-bench": [
            "Daybook", "DaybookCalls", "DaybookReplay", "DaybookSigner", "DaybookNodes",
            "DaybookMigrations", "DaybookLog", "DaybookLMDB", "DaybookLinks", "DaybookDomain",
            "DaybookChains", "DaybookCrypto", "DaybookCommands", "DaybookEncoding",
            "DaybookSystem", "DaybookPostgres", "Distance",
            "TestSupport",
        ],
    ]

    static let table = Rule(
        name: "a module imports only what the table allows",
        failing: [
            SourceFile(path: "Sources/DaybookEncoding/A.swift", text: "import Foundation\n"),
            SourceFile(path: "Sources/DaybookChains/A.swift", text: "import DaybookDomain\n"),
            SourceFile(path: "Sources/DaybookLog/A.swift", text: "package import DaybookLinks\n"),
            SourceFile(path: "Sources/Daybook/A.swift", text: "internal import CLMDB\n"),
            SourceFile(path: "Sources/DaybookNew/A.swift", text: "import DaybookEncoding\n"),
            SourceFile(path: "Migrations/A.swift", text: "import struct DaybookDomain.Event\n"),
            SourceFile(path: "Migrations/Upcasters/A.swift", text: "import DaybookLog\n"),
            SourceFile(path: "tools/daybook-replay/A.swift", text: "import DaybookSigner\n"),
            SourceFile(path: "tools/daybook/A.swift", text: "@preconcurrency import Glibc\n"),
        ],
        passing: [
            SourceFile(path: "Sources/DaybookChains/A.swift", text: "import DaybookCrypto\n"),
            SourceFile(path: "Sources/DaybookSystem/A.swift", text: "internal import Glibc\n"),
            SourceFile(path: "Sources/DaybookEncoding/A.swift", text: "// import Foundation\n"),
            SourceFile(path: "Tests/Unit/DaybookLog/A.swift", text: "import Foundation\n"),
            SourceFile(path: "tools/daybook/A.swift", text: "import Daybook\n"),
        ]
    ) { file in
        guard !file.isTest, let module = file.module else { return [] }
        return imports(in: file).compactMap { name, line in
            if allowed[module]?.contains(name) == true { return nil }
            return Breach(path: file.path, line: line, what: "\(module) imports \(name)")
        }
    }

    static let cLibraries = Rule(
        name: "C is imported only where it is wrapped",
        failing: [
            SourceFile(path: "Sources/DaybookLog/A.swift", text: "import CLMDB\n"),
            SourceFile(path: "Sources/DaybookSigner/A.swift", text: "import COpenSSL\n"),
            SourceFile(path: "Sources/DaybookCrypto/A.swift", text: "import Glibc\n"),
            SourceFile(path: "Tests/Unit/DaybookCrypto/A.swift", text: "import CSecp256k1\n"),
        ],
        passing: [
            SourceFile(path: "Sources/DaybookLMDB/A.swift", text: "internal import CLMDB\n"),
            SourceFile(path: "Sources/DaybookCrypto/A.swift", text: "import COpenSSL\n"),
            SourceFile(path: "Sources/DaybookSystem/A.swift", text: "import Glibc\n"),
            SourceFile(path: "Tests/Unit/DaybookLog/A.swift", text: "import Glibc\n"),
        ]
    ) { file in
        let homes = [
            "CLMDB": "DaybookLMDB", "CSecp256k1": "DaybookCrypto", "COpenSSL": "DaybookCrypto",
            "CCurl": "DaybookNodes", "CLinux": "DaybookSystem", "Glibc": "DaybookSystem",
            "CDaybook": "DaybookC", "CPostgres": "DaybookPostgres",
            "CMicroHTTPD": "DaybookPage", "CQREncode": "DaybookPage",
        ]
        return imports(in: file).compactMap { name, line in
            guard let home = homes[name], file.module != home else { return nil }
            if file.isTest, ["Glibc", "CDaybook"].contains(name) { return nil }
            return Breach(path: file.path, line: line, what: "\(name) belongs to \(home)")
        }
    }

    private static func imports(in file: SourceFile) -> [(name: String, line: Int)] {
        importLine.matches(in: file.code).map { ($0.groups[1], $0.line) }
    }

    private static let importLine = Pattern(
        #"^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*"#
            + #"(?:(?:public|package|internal|private|fileprivate)[ \t]+)?"#
            + #"import[ \t]+(?:(?:struct|class|enum|protocol|typealias|func|let|var)[ \t]+)?(\w+)"#)
}
