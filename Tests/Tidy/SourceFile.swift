import Foundation

/// A file of the repository, or a sample that stands for one.
struct SourceFile: Sendable {
    /// Where it lies, from the repository's root.
    let path: String
    let text: String
    /// The text with comments and strings blanked, character for character.
    let code: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
        code = path.hasSuffix(".swift") ? SwiftScanner.code(of: text) : ""
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isTest: Bool { path.hasPrefix("Tests/") }
    var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }

    /// The lines as they stand.
    var lines: [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The lines without comments and strings.
    var codeLines: [Substring] {
        code.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The module that the file belongs to; nil for manifests, scripts and documents.
    var module: String? {
        guard isSwift, let first = folders.first else { return nil }
        switch first {
        case "Sources": return folders.count > 1 ? folders[1] : nil
        case "Tests": return folders.dropFirst().prefix(2).joined(separator: "/")
        case "Migrations":
            return folders.count > 1 ? "Daybook\(folders[1])" : "DaybookMigrations"
        case "tools": return folders.count > 1 ? "tools/\(folders[1])" : nil
        default: return nil
        }
    }
}

/// All that lies in the repository, or a sample that stands for it.
struct SourceTree: Sendable {
    /// The paths of all files, fixtures and documents too.
    let paths: [String]
    /// The Swift files, scripts and manifests among them.
    var files: [SourceFile] = []
}
