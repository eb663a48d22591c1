import Foundation
import TestSupport

extension Repository {
    /// All Swift files, scripts and manifests, read once; not what was built or fetched.
    static let files: [SourceFile] = {
        let folders = ["Sources", "Migrations", "tools", "Tests", ".ci"]
        let paths = folders.flatMap(paths(in:)).filter(isSource) + ["Package.swift"]
        return paths.sorted().compactMap { path in
            let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
            return text.map { SourceFile(path: path, text: $0) }
        }
    }()

    private static func paths(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
        return (names?.allObjects as? [String] ?? []).map { "\(folder)/\($0)" }
    }

    /// Fixtures are data, whatever they are called; a program without an ending is a script.
    private static func isSource(_ path: String) -> Bool {
        if path.hasPrefix("Tests/Fixtures/") { return false }
        let name = path.split(separator: "/").last ?? ""
        return ["swift", "sh", "py", "h"].contains { name.hasSuffix(".\($0)") }
            || !name.contains(".") && !isFolder(path)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        let full = root.appending(path: path).path()
        return FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
            && isFolder.boolValue
    }
}
