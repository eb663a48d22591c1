import Foundation
import TestSupport

extension Repository {
    /// All sources, scripts, styles and manifests, read once, without built and fetched files.
    static let files: [SourceFile] = {
        let folders = ["Sources", "Migrations", "tools", "Tests", ".ci"]
        let paths = folders.flatMap(paths(in:)).filter(isSource) + ["Package.swift"]
        return paths.sorted().compactMap { path in
            let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
            return text.map { SourceFile(path: path, text: $0) }
        }
    }()

    /// The tree with all that git would keep, told by what lies there.
    static let tree = SourceTree(paths: allPaths, files: files)

    private static let allPaths: [String] = {
        let top = (try? FileManager.default.contentsOfDirectory(atPath: root.path())) ?? []
        let built: Set<String> = [".build", ".git", ".swiftpm", "__pycache__"]
        return top.filter { !built.contains($0) }.flatMap { name in
            isFolder(name) ? paths(in: name).filter { !isFolder($0) } : [name]
        }.filter { !$0.split(separator: "/").contains("__pycache__") }.sorted()
    }()

    /// Fixtures are data, whatever they are called; a program without an ending is a script.
    private static func isSource(_ path: String) -> Bool {
        if isFixture(path) { return false }
        let name = path.split(separator: "/").last ?? ""
        return ["swift", "sh", "py", "h", "c", "js", "css"].contains { name.hasSuffix(".\($0)") }
            || !name.contains(".") && !isFolder(path)
    }

    /// Whether a path lies among the tests' data, or the files that releases wrote.
    static func isFixture(_ path: String) -> Bool {
        path.hasPrefix("Tests/Fixtures/") || path.hasPrefix("Tests/Releases/")
    }

    /// Whether a path, from the root, is that of a folder.
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        let full = root.appending(path: path).path()
        return FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
            && isFolder.boolValue
    }
}
