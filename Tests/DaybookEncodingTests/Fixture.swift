import Foundation

/// A data file in `Tests/Fixtures`: lines of columns between tabs, `#` before remarks.
enum Fixture {
    static func rows(_ path: String) throws -> [[String]] {
        try text(path).split(separator: "\n", omittingEmptySubsequences: true)
            .filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: url(path), encoding: .utf8)
    }

    static func url(_ path: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures").appending(path: path)
    }
}
