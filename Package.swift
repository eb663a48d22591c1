// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is compiled with: Swift 6, no warning left, unsafe code marked.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Tests import freely and take pointers nowhere.
let testing: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

func module(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path ?? "Sources/\(name)",
        swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "tools/\(name)", swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: ["TestSupport"] + dependencies,
        path: "Tests/\(name)Tests",
        swiftSettings: testing)
}

/// The laws that hold for whatever bytes come: tests of what was once found, or, where tools/fuzz
/// asks for it, a program that looks for more. Only libFuzzer has what that is linked with.
let fuzzed: [Target.Dependency] = [
    "LinkPrinter", "Daybook", "DaybookReplay", "DaybookNodes", "DaybookSigner", "DaybookLog",
    "DaybookMigrations", "DaybookLMDB", "DaybookLinks", "DaybookDomain", "DaybookChains",
    "DaybookCrypto", "DaybookCommands", "DaybookEncoding", "DaybookSystem", "TestSupport",
]
let fuzzing: Target =
    Context.environment["DAYBOOK_FUZZ"] == nil
    ? .testTarget(
        name: "FuzzTests", dependencies: fuzzed, path: "Tests/FuzzTests", exclude: ["Program"],
        swiftSettings: testing)
    : .executableTarget(
        name: "fuzz", dependencies: fuzzed, path: "Tests/FuzzTests", exclude: ["CorpusTests.swift"],
        swiftSettings: testing)

let package = Package(
    name: "Daybook",
    products: [
        .library(name: "Daybook", targets: ["Daybook"]),
        .executable(name: "daybook", targets: ["daybook-cli"]),
        .executable(name: "daybook-replay", targets: ["daybook-replay"]),
    ],
    targets: [
        .systemLibrary(
            name: "CLMDB", path: "Sources/CLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(
            name: "CSecp256k1", path: "Sources/CSecp256k1", pkgConfig: "libsecp256k1",
            providers: [.apt(["libsecp256k1-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),

        module("DaybookEncoding", []),
        module("DaybookCrypto", ["CSecp256k1", "COpenSSL", "DaybookEncoding"]),
        module("DaybookSystem", ["CLinux"]),
        module("DaybookChains", ["DaybookEncoding", "DaybookCrypto"]),
        module("DaybookDomain", ["DaybookEncoding", "DaybookCrypto", "DaybookChains"]),
        module(
            "DaybookLinks", ["DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookDomain"]),
        module("DaybookLMDB", ["CLMDB", "DaybookSystem"]),
        module(
            "DaybookLog", ["DaybookEncoding", "DaybookCrypto", "DaybookLMDB", "DaybookSystem"]),
        module(
            "DaybookMigrations", ["DaybookEncoding", "DaybookLog", "DaybookLMDB"],
            path: "Migrations"),
        module(
            "DaybookReplay",
            [
                "DaybookEncoding", "DaybookCrypto", "DaybookSystem", "DaybookChains",
                "DaybookDomain", "DaybookLinks", "DaybookLMDB", "DaybookLog", "DaybookMigrations",
            ]),
        module(
            "DaybookSigner",
            ["DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookSystem"]),
        module(
            "DaybookNodes",
            ["CCurl", "DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookDomain"]),
        module(
            "Daybook",
            [
                "DaybookEncoding", "DaybookCrypto", "DaybookSystem", "DaybookChains", "DaybookLog",
                "DaybookDomain", "DaybookLinks", "DaybookReplay", "DaybookLMDB",
                "DaybookMigrations", "DaybookNodes", "DaybookSigner",
            ]),

        module("DaybookCommands", ["DaybookEncoding", "DaybookSystem"]),
        .executableTarget(
            name: "daybook-cli",
            dependencies: ["Daybook", "DaybookCommands", "DaybookEncoding", "DaybookSystem"],
            path: "tools/daybook", swiftSettings: strict),
        program("daybook-replay", [
            "DaybookReplay", "DaybookDomain", "DaybookLinks", "DaybookLog", "DaybookCommands",
            "DaybookEncoding", "DaybookSystem",
        ]),

        program("daybook-bench", [
            "Daybook", "DaybookReplay", "DaybookSigner", "DaybookNodes", "DaybookMigrations",
            "DaybookLog", "DaybookLMDB", "DaybookLinks", "DaybookDomain", "DaybookChains",
            "DaybookCrypto", "DaybookCommands", "DaybookEncoding", "DaybookSystem", "Distance",
            "TestSupport",
        ]),

        tests("Tidy", []),
        .target(
            name: "TestSupport", dependencies: ["DaybookEncoding", "DaybookSystem"],
            path: "Tests/Support/TestSupport", swiftSettings: testing),
        tests("DaybookEncoding", ["DaybookEncoding"]),
        tests("DaybookCrypto", ["DaybookCrypto", "DaybookEncoding"]),
        tests("DaybookTree", ["DaybookLog", "DaybookCrypto", "DaybookEncoding"]),
        tests(
            "DaybookChains",
            ["DaybookChains", "DaybookCrypto", "DaybookEncoding"]),
        tests(
            "DaybookDomain",
            ["DaybookDomain", "DaybookChains", "DaybookCrypto", "DaybookEncoding"]),
        .target(
            name: "LinkPrinter",
            dependencies: ["DaybookDomain", "DaybookChains", "DaybookEncoding"],
            path: "Tests/LinkPrinter", swiftSettings: testing),
        tests(
            "DaybookLinks",
            [
                "LinkPrinter", "DaybookLinks", "DaybookDomain", "DaybookChains",
                "DaybookCrypto", "DaybookEncoding",
            ]),
        .executableTarget(
            name: "LogDriver",
            dependencies: [
                "DaybookEncoding", "DaybookLog", "DaybookLMDB", "DaybookMigrations",
                "DaybookSystem",
            ],
            path: "Tests/LogDriver", swiftSettings: strict),
        tests(
            "DaybookLog",
            [
                "LogDriver", "DaybookLog", "DaybookLMDB", "DaybookMigrations", "DaybookCrypto",
                "DaybookEncoding", "DaybookSystem",
            ]),
        tests(
            "DaybookExport",
            ["DaybookLog", "DaybookCrypto", "DaybookEncoding"]),
        tests(
            "DaybookProjections",
            [
                "DaybookReplay", "DaybookLog", "DaybookDomain", "DaybookChains", "DaybookEncoding",
            ]),
        tests(
            "DaybookHistory",
            [
                "DaybookReplay", "DaybookLog", "DaybookMigrations", "DaybookDomain",
                "DaybookEncoding", "DaybookSystem",
            ]),
        tests(
            "DaybookReport",
            [
                "DaybookReplay", "DaybookLog", "DaybookDomain", "DaybookChains", "DaybookCrypto",
                "DaybookEncoding",
            ]),
        tests("DaybookSystem", ["DaybookSystem"]),
        .target(
            name: "NodeServer",
            dependencies: [
                "DaybookNodes", "DaybookChains", "DaybookCrypto", "DaybookEncoding",
            ],
            path: "Tests/NodeServer", swiftSettings: testing),
        .target(
            name: "Distance",
            dependencies: [
                "NodeServer", "Daybook", "DaybookReplay", "DaybookLog", "DaybookLinks",
                "DaybookDomain", "DaybookChains", "DaybookCrypto", "DaybookEncoding",
                "DaybookSystem", "TestSupport",
            ],
            path: "Tests/Distance", swiftSettings: testing),
        tests(
            "DaybookNodes",
            [
                "DaybookNodes", "DaybookDomain", "DaybookChains", "DaybookCrypto",
                "DaybookEncoding",
            ]),
        tests(
            "DaybookSandbox",
            [
                "NodeServer", "DaybookNodes", "DaybookChains", "DaybookCrypto", "DaybookEncoding",
            ]),
        tests(
            "DaybookSigner",
            [
                "DaybookSigner", "DaybookChains", "DaybookCrypto", "DaybookEncoding",
                "DaybookSystem",
            ]),
        tests("DaybookHTTP", ["DaybookNodes"]),
        fuzzing,
        .executableTarget(
            name: "StoreDriver",
            dependencies: [
                "Daybook", "DaybookReplay", "DaybookLog", "DaybookLinks", "DaybookDomain",
                "DaybookCrypto", "DaybookEncoding", "DaybookSystem", "TestSupport",
            ],
            path: "Tests/StoreDriver", swiftSettings: strict),
        .executableTarget(
            name: "CrashDriver",
            dependencies: [
                "Daybook", "DaybookReplay", "DaybookLog", "DaybookLMDB", "DaybookMigrations",
                "DaybookLinks", "DaybookDomain", "DaybookSigner", "DaybookCrypto",
                "DaybookEncoding", "DaybookSystem",
            ],
            path: "Tests/CrashDriver", swiftSettings: strict),
        .target(
            name: "NodeSuite",
            dependencies: [
                "Daybook", "DaybookNodes", "DaybookDomain", "DaybookChains", "DaybookCrypto",
                "DaybookEncoding", "DaybookSystem",
            ],
            path: "Tests/NodeSuite", swiftSettings: strict),
        .executableTarget(
            name: "node-suite",
            dependencies: [
                "NodeSuite", "DaybookNodes", "DaybookSigner", "DaybookChains", "DaybookCrypto",
                "DaybookCommands", "DaybookEncoding", "DaybookSystem", "Daybook",
            ],
            path: "Tests/NodeSuiteProgram", swiftSettings: strict),
        .target(
            name: "Simulator",
            dependencies: [
                "Daybook", "DaybookReplay", "DaybookDomain", "DaybookLog", "DaybookMigrations",
                "DaybookLMDB", "DaybookNodes", "DaybookSigner", "DaybookChains", "DaybookCrypto",
                "DaybookEncoding", "DaybookSystem", "TestSupport",
            ],
            path: "Tests/Simulator", swiftSettings: testing),
        .executableTarget(
            name: "simulate",
            dependencies: ["Simulator", "DaybookCommands", "DaybookSystem"],
            path: "Tests/SimulatorProgram", swiftSettings: strict),
        tests("Simulator", ["Simulator"]),
        .target(
            name: "Attacks",
            dependencies: [
                "Simulator", "TestSupport", "NodeServer", "Daybook", "DaybookReplay",
                "DaybookDomain", "DaybookLog", "DaybookMigrations", "DaybookLMDB", "DaybookNodes",
                "DaybookSigner", "DaybookChains", "DaybookCrypto", "DaybookEncoding",
                "DaybookSystem",
            ],
            path: "Tests/Attacks", swiftSettings: testing),
        .executableTarget(
            name: "attack", dependencies: ["Attacks", "DaybookSystem"],
            path: "Tests/AttacksProgram", swiftSettings: strict),
        tests("Attacks", ["Attacks", "DaybookSystem"]),
        tests(
            "NodeSuite",
            [
                "NodeSuite", "NodeServer", "Daybook", "DaybookNodes", "DaybookDomain",
                "DaybookChains", "DaybookCrypto", "DaybookEncoding", "DaybookSystem", "node-suite",
                "daybook-replay",
            ]),
        .executableTarget(name: "fault-tracer", path: "Tests/FaultTracer"),
        tests(
            "CommandLine",
            [
                "daybook-cli", "daybook-replay", "fault-tracer", "DaybookCommands", "DaybookLog",
                "DaybookLMDB", "DaybookMigrations", "DaybookCrypto", "DaybookEncoding",
                "DaybookSystem", "NodeServer",
            ]),
        tests(
            "Daybook",
            [
                "StoreDriver", "CrashDriver", "Daybook", "DaybookReplay", "DaybookLog",
                "DaybookLMDB", "DaybookMigrations", "DaybookLinks", "DaybookDomain",
                "DaybookChains", "DaybookCrypto", "DaybookSigner", "DaybookEncoding",
                "DaybookSystem", "daybook-replay", "DaybookNodes", "NodeServer", "Distance",
            ]),
    ]
)
