import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookDomain

/// `docs/EVENTS.md` says what the code does.
struct CatalogueTests {
    /// The fields of each type, and whether it is an input, as the catalogue has them.
    private struct Entry: Equatable {
        var isInput = false
        var fields: [String] = []
    }

    private static func lines() throws -> [Substring] {
        try Repository.text("docs/EVENTS.md").split(separator: "\n")
    }

    /// The name between the backquotes with which a line begins.
    private static func name(_ line: Substring, after prefix: String) -> String? {
        guard line.hasPrefix(prefix + "`") else { return nil }
        return line.dropFirst(prefix.count + 1).split(separator: "`").first.map { String($0) }
    }

    private static func catalogue() throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        var type: String?
        var isTable = false
        for line in try lines() {
            if line.hasPrefix("## ") { type = nil }
            if let name = name(line, after: "### ") {
                type = name
                entries[name] = Entry()
            }
            guard let type else { continue }
            if line.hasPrefix("Input") { entries[type]?.isInput = true }
            if line.hasPrefix("| field |") { isTable = true }
            if line.hasPrefix("|") == false { isTable = false }
            if isTable, let field = name(line, after: "| ") { entries[type]?.fields.append(field) }
        }
        return entries
    }

    @Test func `every type stands in the catalogue with all its fields, and no other does`()
        throws
    {
        var expected: [String: Entry] = [:]
        for payload in Samples.all {
            let type = type(of: payload.data).type
            guard case .map(let entries) = try CBOR.decode(payload.data.encoded()) else { continue }
            let fields = expected[type]?.fields ?? []
            let more = entries.compactMap(\.key.textValue).filter { !fields.contains($0) }
            expected[type] = Entry(isInput: payload.isInput, fields: fields + more)
        }
        let found = try Self.catalogue()
        #expect(found.keys.sorted() == expected.keys.sorted())
        for (type, entry) in expected {
            #expect(found[type]?.isInput == entry.isInput, "\(type)")
            #expect(found[type]?.fields.sorted() == entry.fields.sorted(), "\(type)")
        }
    }

    @Test func `every refusal stands in the catalogue with its reason, and no other does`()
        throws
    {
        let rows = try Self.lines().drop { $0 != "## Refusals" }.compactMap { line in
            Self.name(line, after: "| ").map { ($0, line) }
        }
        #expect(rows.map(\.0) == Refusal.Code.allCases.map(\.rawValue))
        for (row, code) in zip(rows, Refusal.Code.allCases) {
            #expect(row.1 == "| `\(code.rawValue)` | \(Refusal(code).reason) |")
        }
    }
}
