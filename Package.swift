// swift-tools-version: 6.2
import PackageDescription

/// The compiler's settings for every target of ours: Swift 6, no warning left, unsafe code marked.
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

/// `resources` are files that become bytes of the module.
func module(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil,
    exclude: [String] = [], resources: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path ?? "Sources/\(name)",
        exclude: exclude, resources: resources.map { .embedInCode($0) }, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "tools/\(name)", swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil,
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: ["TestSupport"] + dependencies,
        path: "Tests/\(path ?? "Unit/\(name)")", exclude: exclude, swiftSettings: testing)
}

/// A folder of Tests that is a library, which tests share.
func support(_ name: String, _ dependencies: [Target.Dependency], in folder: String = "Support")
    -> Target
{
    .target(
        name: name, dependencies: dependencies, path: "Tests/\(folder)/\(name)",
        swiftSettings: testing)
}

/// A program that tests start, or that looks for faults for as long as it is let.
func testProgram(
    _ name: String, _ dependencies: [Target.Dependency], path: String, exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/\(path)", exclude: exclude,
        swiftSettings: strict)
}

/// The laws that readers keep for any bytes: tests of the kept inputs or, for `tools/dev fuzz`, a
/// program that searches for others, which must be linked with libFuzzer.
let fuzzed: [Target.Dependency] = [
    "LinkPrinter", "Daybook", "DaybookReplay", "DaybookNodes", "DaybookSigner", "DaybookLog",
    "DaybookMigrations", "DaybookLMDB", "DaybookLinks", "DaybookDomain", "DaybookChains",
    "DaybookCrypto", "DaybookCommands", "DaybookEncoding", "DaybookSystem", "TestSupport",
    "DaybookCalls", "DaybookTesting",
]
let fuzzing: Target =
    Context.environment["DAYBOOK_FUZZ"] == nil
    ? .testTarget(
        name: "FuzzTests", dependencies: fuzzed, path: "Tests/Fuzz", exclude: ["Main.swift"],
        swiftSettings: testing)
    : .executableTarget(
        name: "fuzz", dependencies: fuzzed, path: "Tests/Fuzz",
        exclude: ["CorpusTests.swift", "EventNumberTests.swift", "MethodTests.swift"],
        swiftSettings: testing)

let package = Package(
    name: "Daybook",
    products: [
        .library(name: "Daybook", targets: ["Daybook", "DaybookFoundation"]),
        .library(name: "DaybookC", type: .dynamic, targets: ["DaybookC"]),
        .library(name: "DaybookTesting", targets: ["DaybookTesting"]),
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
        .systemLibrary(
            name: "CMicroHTTPD", path: "Sources/CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(
            name: "CQREncode", path: "Sources/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(
            name: "CPostgres", path: "Sources/CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
        .systemLibrary(name: "CDaybook", path: "Sources/CDaybook"),

        module("DaybookEncoding", []),
        module("DaybookCrypto", ["CSecp256k1", "COpenSSL", "DaybookEncoding"]),
        module("DaybookSystem", ["CLinux"]),
        module("DaybookChains", ["DaybookEncoding", "DaybookCrypto"]),
        module("DaybookUpcasters", ["DaybookEncoding"], path: "Migrations/Upcasters"),
        module(
            "DaybookDomain",
            ["DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookUpcasters"]),
        module(
            "DaybookLinks", ["DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookDomain"]),
        module("DaybookLMDB", ["CLMDB", "DaybookSystem"]),
        module(
            "DaybookLog",
            [
                "DaybookEncoding", "DaybookCrypto", "DaybookSystem", "DaybookChains",
                "DaybookDomain", "DaybookLMDB",
            ]),
        module(
            "DaybookMigrations", ["DaybookEncoding", "DaybookLog", "DaybookLMDB"],
            path: "Migrations", exclude: ["Upcasters"]),
        module(
            "DaybookPostgres",
            [
                "CPostgres", "DaybookEncoding", "DaybookSystem", "DaybookLog", "DaybookMigrations",
            ]),
        module(
            "DaybookReplay",
            [
                "DaybookEncoding", "DaybookCrypto", "DaybookSystem", "DaybookChains",
                "DaybookDomain", "DaybookLinks", "DaybookLMDB", "DaybookLog", "DaybookMigrations",
            ],
            resources: [
                "Report/report.html", "Report/report.css", "Report/report.js", "Report/charts.js",
                "Report/stories.js",
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
                "DaybookMigrations", "DaybookPostgres", "DaybookNodes", "DaybookSigner",
            ]),

        module("DaybookFoundation", ["Daybook", "DaybookEncoding"]),
        module(
            "DaybookTesting",
            ["Daybook", "DaybookCrypto", "DaybookEncoding", "DaybookLog", "DaybookSystem"]),
        module("DaybookCommands", ["DaybookEncoding", "DaybookSystem"]),
        module(
            "DaybookCalls", ["Daybook", "DaybookCommands", "DaybookEncoding", "DaybookSystem"]),
        module(
            "DaybookC",
            [
                "CDaybook", "Daybook", "DaybookCalls", "DaybookCommands", "DaybookEncoding",
                "DaybookSystem",
            ]),
        module(
            "DaybookPage",
            [
                "CMicroHTTPD", "CQREncode", "Daybook", "DaybookCalls", "DaybookCommands",
                "DaybookEncoding", "DaybookSystem",
            ], resources: ["Resources/page.html", "Resources/page.css", "Resources/page.js"]),
        .executableTarget(
            name: "daybook-cli",
            dependencies: [
                "Daybook", "DaybookCalls", "DaybookPage", "DaybookCommands", "DaybookEncoding",
                "DaybookSystem",
            ],
            path: "tools/daybook", swiftSettings: strict),
        program("daybook-replay", [
            "DaybookReplay", "DaybookPostgres", "DaybookDomain", "DaybookLinks", "DaybookLog",
            "DaybookCommands", "DaybookCrypto", "DaybookEncoding", "DaybookSystem",
        ]),

        program("daybook-bench", [
            "Daybook", "DaybookCalls", "DaybookReplay", "DaybookSigner", "DaybookNodes",
            "DaybookMigrations", "DaybookLog", "DaybookLMDB", "DaybookLinks", "DaybookDomain",
            "DaybookChains", "DaybookCrypto", "DaybookCommands", "DaybookEncoding",
            "DaybookSystem", "DaybookPostgres", "Distance",
            "TestSupport",
        ]),

        support(
            "TestSupport",
            [
                "DaybookChains", "DaybookCrypto", "DaybookEncoding", "DaybookSigner",
                "DaybookSystem",
            ]),
        support("LinkPrinter", ["DaybookDomain", "DaybookChains", "DaybookEncoding"]),
        support(
            "NodeServer",
            [
                "DaybookNodes", "DaybookChains", "DaybookCrypto", "DaybookEncoding", "TestSupport",
            ]),
        support(
            "EventStores",
            [
                "DaybookPostgres", "DaybookMigrations", "DaybookLog", "DaybookLMDB",
                "DaybookEncoding", "DaybookSystem", "TestSupport",
            ]),
        support(
            "Distance",
            [
                "NodeServer", "Daybook", "DaybookReplay", "DaybookLog", "DaybookLinks",
                "DaybookDomain", "DaybookChains", "DaybookCrypto", "DaybookEncoding",
                "DaybookSystem", "TestSupport",
            ]),

        tests("Tidy", [], path: "Tidy"),
        fuzzing,

        tests("DaybookEncoding", ["DaybookEncoding"]),
        tests("DaybookCrypto", ["DaybookCrypto", "DaybookEncoding"]),
        tests("DaybookSystem", ["DaybookSystem"]),
        tests(
            "DaybookPostgres",
            [
                "daybook-bench", "DaybookPostgres", "DaybookLog", "DaybookEncoding",
                "DaybookSystem", "EventStores",
            ]),
        tests("DaybookChains", ["DaybookChains", "DaybookCrypto", "DaybookEncoding"]),
        tests(
            "DaybookDomain",
            ["DaybookDomain", "DaybookChains", "DaybookCrypto", "DaybookEncoding"]),
        tests(
            "DaybookLinks",
            [
                "LinkPrinter", "DaybookLinks", "DaybookDomain", "DaybookChains", "DaybookCrypto",
                "DaybookEncoding",
            ]),
        tests(
            "DaybookLog",
            [
                "LogDriver", "DaybookLog", "DaybookLMDB", "DaybookMigrations", "DaybookUpcasters",
                "DaybookDomain", "DaybookCrypto", "DaybookEncoding", "DaybookSystem",
                "EventStores",
            ]),
        tests(
            "DaybookReplay",
            [
                "DaybookReplay", "DaybookLog", "DaybookMigrations", "DaybookDomain",
                "DaybookChains", "DaybookCrypto", "DaybookEncoding", "DaybookSystem",
            ]),
        tests(
            "DaybookNodes",
            [
                "NodeServer", "DaybookNodes", "DaybookDomain", "DaybookChains", "DaybookCrypto",
                "DaybookEncoding",
            ]),
        tests(
            "DaybookSigner",
            [
                "DaybookSigner", "DaybookChains", "DaybookCrypto", "DaybookEncoding",
                "DaybookSystem",
            ]),

        testProgram(
            "LogDriver",
            [
                "DaybookEncoding", "DaybookLog", "DaybookLMDB", "DaybookMigrations",
                "DaybookPostgres", "DaybookSystem", "EventStores",
            ], path: "Faults/LogDriver"),
        testProgram(
            "StoreDriver",
            [
                "Daybook", "DaybookReplay", "DaybookLog", "DaybookLinks", "DaybookDomain",
                "DaybookCrypto", "DaybookEncoding", "DaybookSystem", "TestSupport",
            ], path: "Faults/StoreDriver"),
        testProgram(
            "CrashDriver",
            [
                "Daybook", "DaybookReplay", "DaybookLog", "DaybookLMDB", "DaybookMigrations",
                "DaybookLinks", "DaybookDomain", "DaybookSigner", "DaybookCrypto",
                "DaybookEncoding", "DaybookSystem", "EventStores", "TestSupport",
            ], path: "Faults/CrashDriver"),
        .executableTarget(name: "fault-tracer", path: "Tests/Faults/FaultTracer"),

        tests(
            "Daybook",
            [
                "StoreDriver", "LogDriver", "CrashDriver", "Daybook", "DaybookReplay", "DaybookLog",
                "DaybookLMDB", "DaybookMigrations", "DaybookLinks", "DaybookDomain",
                "DaybookChains", "DaybookCrypto", "DaybookSigner", "DaybookEncoding",
                "DaybookSystem", "daybook-replay", "DaybookNodes", "NodeServer", "Distance",
                "DaybookCommands", "DaybookFoundation", "DaybookTesting", "DaybookPostgres",
                "EventStores",
            ], path: "Integration/Store"),
        tests(
            "CommandLine",
            [
                "daybook-cli", "daybook-replay", "daybook-bench", "fault-tracer", "CDaybook",
                "DaybookC", "DaybookCalls", "DaybookTesting", "Daybook",
                "DaybookCommands", "DaybookLog",
                "DaybookLMDB", "DaybookMigrations", "DaybookCrypto", "DaybookEncoding",
                "DaybookSystem", "NodeServer", "EventStores",
            ], path: "Integration/CommandLine"),
        tests(
            "DaybookC",
            [
                "CDaybook", "DaybookC", "daybook-cli", "daybook-replay", "DaybookCommands",
                "DaybookEncoding", "DaybookSystem",
            ], path: "Integration/C", exclude: ["swift-runtime.supp", "unlock.c"]),
        tests(
            "DaybookPage",
            [
                "daybook-cli", "daybook-replay", "DaybookPage", "Daybook", "DaybookCommands",
                "DaybookEncoding", "DaybookSystem", "DaybookTesting",
            ], path: "Integration/Page"),
        .target(
            name: "NodeSuite",
            dependencies: [
                "Daybook", "DaybookNodes", "DaybookDomain", "DaybookChains", "DaybookCrypto",
                "DaybookEncoding", "DaybookSystem", "TestSupport",
            ],
            path: "Tests/Integration/NodeSuite", swiftSettings: strict),
        testProgram(
            "node-suite",
            [
                "NodeSuite", "DaybookNodes", "DaybookSigner", "DaybookChains", "DaybookCrypto",
                "DaybookCommands", "DaybookEncoding", "DaybookSystem", "Daybook",
            ], path: "Integration/NodeSuiteProgram"),
        tests(
            "NodeSuite",
            [
                "NodeSuite", "NodeServer", "Daybook", "DaybookNodes", "DaybookDomain",
                "DaybookChains", "DaybookCrypto", "DaybookEncoding", "DaybookSystem", "node-suite",
                "daybook-replay",
            ], path: "Integration/NodeSuiteTests"),

        support(
            "Simulator",
            [
                "Daybook", "DaybookReplay", "DaybookDomain", "DaybookLog", "DaybookMigrations",
                "DaybookLMDB", "DaybookNodes", "DaybookSigner", "DaybookChains", "DaybookCrypto",
                "DaybookEncoding", "DaybookSystem", "TestSupport",
            ], in: "Simulation"),
        support(
            "Attacks",
            [
                "Simulator", "TestSupport", "NodeServer", "Daybook", "DaybookReplay",
                "DaybookDomain", "DaybookLog", "DaybookMigrations", "DaybookLMDB", "DaybookNodes",
                "DaybookSigner", "DaybookChains", "DaybookCrypto", "DaybookEncoding",
                "DaybookSystem",
            ], in: "Simulation"),
        testProgram(
            "simulate", ["Simulator", "DaybookCommands", "DaybookSystem"],
            path: "Simulation/Programs", exclude: ["AttackProgram.swift", "Tally.swift"]),
        testProgram(
            "attack", ["Attacks", "DaybookSystem"],
            path: "Simulation/Programs", exclude: ["SimulateProgram.swift"]),
        tests(
            "Simulator", ["Simulator"],
            path: "Simulation/Tests", exclude: ["AttackTests.swift"]),
        tests(
            "Attacks", ["Attacks"],
            path: "Simulation/Tests", exclude: ["SimulationTests.swift"]),
    ]
)
