import DaybookEncoding
import DaybookSystem
import Foundation
import Testing
import TestSupport

/// Commands on a store of which one page was zeroed.
struct DamagedStoreTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    @Test(arguments: ["log", "derived"])
    func `a zeroed page is named or made good, and ends no command by a signal`(
        _ folder: String
    ) throws {
        for number in 0..<12 {
            try scene.done("open", "dashwallet://request=address&sender=app\(number)")
        }
        try scene.done("doctor", "--rebuild")
        let before = try scene.done("log", "--json").lines
        let data = URL(fileURLWithPath: "\(scene.home)/\(folder)/data.mdb")
        let whole = try content()
        var damaged = 0
        // Each page of a log is tried in `DamagedPagesTests`.
        let pages = (whole["\(folder)/data.mdb"]?.count ?? 0) / 4096
        for page in stride(from: 0, to: pages, by: 3) {
            try Files.createDirectories("\(scene.home)/derived", mode: 0o700)
            for (name, bytes) in whole {
                try bytes.write(to: URL(fileURLWithPath: "\(scene.home)/\(name)"))
            }
            var bytes = try Data(contentsOf: data)
            bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(count: 4096))
            try bytes.write(to: data)
            let answers = [
                try scene.daybook("open", "dash:\(Scene.payee)?amount=1.\(page)"),
                try scene.daybook("log", "--json"),
            ]
            for answer in answers where answer.status == 3 || answer.status > 5 {
                #expect(answer.code == "storeDamaged", "page \(page): \(answer.error)")
                #expect(answer.status == 3, "page \(page): \(answer.error)")
            }
            if answers.contains(where: { $0.status == 3 }) { damaged += 1 }
            if answers[1].status == 0 {
                #expect(answers[1].lines.starts(with: before), "page \(page)")
            }
        }
        #expect((damaged > 0) == (folder == "log"), "derived tables are made again")
    }

    /// The store's data files, by their paths.
    private func content() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in ["log/data.mdb", "derived/data.mdb"] {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(scene.home)/\(name)"))
        }
        return files
    }
}
