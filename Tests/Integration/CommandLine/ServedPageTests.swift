import DaybookEncoding
import Foundation
import TestSupport
import Testing

/// `daybook page`: the address of a server's page, for a new browser.
struct ServedPageTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    private func page(_ server: Server, _ words: String...) throws -> ProgramRun {
        try Programs.run(
            [Programs.daybook, "page", "--socket", server.path] + words,
            environment: ["DAYBOOK_HOME": scene.home])
    }

    @Test func `each call gives another address of the page of a running server`() throws {
        let server = try Server(scene, "--page")
        let first = try #require(try page(server, "--json").object["page"]?.stringValue)
        #expect(first.hasPrefix("http://127.0.0.1:") && first.contains("/#"))
        let second = try page(server)
        #expect(second.status == 0, "\(second.error)")
        let parts = first.split(separator: "#")
        try #require(parts.count == 2)
        #expect(second.output.hasPrefix(parts[0] + "#") && !second.output.contains(parts[1]))
    }

    @Test func `a server without a page, one of another store, and none are named`() throws {
        let server = try Server(scene)
        try page(server).expectFailure(1, "noPage", of: "page")
        let other = scene.path("other")
        try scene.done("init", "--home", other)
        try page(server, "--home", other).expectFailure(1, "logNotServed", of: "page")
        _ = server.program.end(by: SIGTERM)
        try page(server).expectFailure(1, "noServer", of: "page")
        try page(server, "--home", scene.path("nowhere"))
            .expectFailure(3, "storeMissing", of: "page")
    }
}
