import Foundation

/// This repository, for tests that read its documents, scripts and fixtures.
package enum Repository {
    /// The folder that `Package.swift` lies in.
    package static let root: URL = {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        while folder.path() != "/" {
            folder.deleteLastPathComponent()
            let manifest = folder.appending(path: "Package.swift").path(percentEncoded: false)
            if FileManager.default.fileExists(atPath: manifest) { return folder }
        }
        preconditionFailure("the tests are compiled from files below the package's manifest")
    }()

    /// The path of a file or folder that is named from the root.
    package static func path(_ name: String) -> String {
        root.appending(path: name).path(percentEncoded: false)
    }

    /// The text of a file that is named from the root.
    package static func text(_ name: String) throws -> String {
        try String(contentsOf: root.appending(path: name), encoding: .utf8)
    }

    /// The paths of all that lies in a folder, both named from the root.
    package static func paths(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: path(folder))
        return (names?.allObjects as? [String] ?? []).map { "\(folder)/\($0)" }.sorted()
    }
}
