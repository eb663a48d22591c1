import DaybookSystem
import TestSupport
import Testing

/// The contents of files that are decoded again when their files have changed.
struct KeptFilesTests {
    private let kept = KeptFiles<Int>(capacity: 2)

    @Test func `a content is kept while the system says the same of its file`() throws {
        #expect(content(of: "missing", nil, decoded: 1) == 1)
        #expect(content(of: "missing", nil, decoded: 2) == 1)
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        try Files.writeAtomically(path, [1], mode: 0o600)
        let file = try #require(try Files.information(path))
        #expect(content(of: "missing", file, decoded: 3) == 3)
    }

    @Test func `a file that can't be decoded is tried again`() throws {
        struct Damaged: Error {}
        #expect(throws: Damaged.self) {
            try kept.content(of: "file", nil) { () throws(Damaged) in throw Damaged() }
        }
        #expect(content(of: "file", nil, decoded: 1) == 1)
    }

    @Test func `no more files than asked for are kept`() {
        for name in ["a", "b", "c"] { _ = content(of: name, nil, decoded: 1) }
        #expect(content(of: "a", nil, decoded: 2) == 2)
        #expect(content(of: "c", nil, decoded: 2) == 1)
    }

    private func content(of path: String, _ file: FileInformation?, decoded: Int) -> Int {
        kept.content(of: path, file) { () throws(Never) in decoded }
    }
}
