import Foundation
import Testing
import TestSupport

/// The files of the repository: text under known names, and no binaries, archives or downloads.
struct RepositoryTests {
    @Test func `the repository has known top-level names and no binaries or archives`() throws {
        for path in try Self.paths() where Self.exceptions[path] == nil {
            let bytes = try Data(contentsOf: Repository.root.appending(path: path))
            for finding in Self.findings(path, bytes) { Issue.record("\(finding)") }
        }
    }

    @Test(arguments: [
        ("notes.txt", "a"), ("Scripts/build", "a"), ("CONTRIBUTING.md", "a"),
        ("tools/cbor2-5.6.whl", "PK"), ("docs/log.tar.gz", "a"), (".cache/module.pyc", "a"),
        ("Sources/DaybookLog/log.o", "ELF"), ("Tests/Fixtures/logs/data.mdb", "a\0b"),
        ("docs/sizes.png", String(repeating: "\0", count: 200_001)),
    ])
    func `a file that does not belong into the repository is found`(path: String, text: String) {
        #expect(Self.findings(path, Data(text.utf8)) != [])
    }

    @Test func `bytes that are no text are found`() {
        #expect(Self.findings("Tests/Fixtures/key.hex", Data([0xc3, 0x28])) != [])
    }

    @Test(arguments: [
        ("README.md", "ü"), (".ci/run", "#!/bin/sh\n"), (".gitignore", ""), ("tools/dev", "a"),
        ("docs/states.svg", "<svg/>"), ("docs/sizes.png", "\0"), ("Tests/Fixtures/a.hex", "00"),
    ])
    func `a file that belongs there is not`(path: String, text: String) {
        #expect(Self.findings(path, Data(text.utf8)) == [])
    }

    @Test func `an exception goes when it is no longer needed`() throws {
        for path in Self.exceptions.keys {
            let bytes = try Data(contentsOf: Repository.root.appending(path: path))
            #expect(Self.findings(path, bytes) != [], "\(path)")
        }
    }

    private static let topLevel: Set<String> = [
        "Package.swift", "Sources", "Tests", "Migrations", "tools", "docs", "README.md",
        "CHANGELOG.md", "LICENSE",
    ]
    /// The endings of archives, packages and compiled files.
    private static let endings: Set<String> = [
        "whl", "egg", "jar", "zip", "tar", "gz", "tgz", "xz", "bz2", "zst", "7z", "deb", "rpm",
        "o", "a", "so", "pyc", "class", "exe", "dll", "dylib",
    ]
    /// The folders that `.gitignore` leaves out, and git's own.
    private static let ignored: Set<String> = [".git", ".build", ".swiftpm", "__pycache__"]
    private static let exceptions = [
        "docs/audit/shop.daybook": "the example of docs/AUDITING.md, an export in binary"
    ]

    private static func findings(_ path: String, _ bytes: Data) -> [String] {
        var findings: [String] = []
        let first = String(path.prefix { $0 != "/" })
        if !topLevel.contains(first), !first.hasPrefix(".") {
            findings.append("\(path): \(first) is not a known top-level name")
        }
        let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        if endings.contains(ending) { findings.append("\(path): an archive or a compiled file") }
        let isPicture = path.hasPrefix("docs/") && ending == "png" && bytes.count <= 200_000
        if !isPicture, bytes.contains(0) || String(data: bytes, encoding: .utf8) == nil {
            findings.append("\(path): not text")
        }
        return findings
    }

    /// All files but those that `.gitignore` leaves out.
    private static func paths() throws -> [String] {
        var paths: [String] = []
        var folders = [""]
        while let folder = folders.popLast() {
            let full = Repository.root.appending(path: folder).path()
            for name in try FileManager.default.contentsOfDirectory(atPath: full) {
                if ignored.contains(name) || name.hasSuffix(".swp") { continue }
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                if Repository.isFolder(path) { folders.append(path) } else { paths.append(path) }
            }
        }
        return paths
    }
}
