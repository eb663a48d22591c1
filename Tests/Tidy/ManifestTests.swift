import Testing
import TestSupport

struct ManifestTests {
    private let manifest = Repository.files.first { $0.path == "Package.swift" }?.text ?? ""

    @Test func `the manifest gives each module what the import table allows, no more, no less`()
        throws
    {
        let declaration = Pattern(#"\bmodule\(\s*"(\w+)",\s*\[([^\]]*)\]"#)
        let modules = declaration.matches(in: manifest)
        #expect(modules.count == ModuleRules.allowed.keys.count { !$0.hasPrefix("tools/") })
        for module in modules {
            let name = module.groups[1]
            let given = names(in: module.groups[2])
            let allowed = ModuleRules.allowed[name]?.subtracting(ofTheToolchain)
            #expect(given == allowed, "\(name)")
        }
    }

    @Test func `the auditor's program is built without keys and nodes`() throws {
        let declaration = Pattern(#"program\(\s*"daybook-replay",\s*\[([^\]]*)\]"#)
        let program = try #require(declaration.matches(in: manifest).first)
        #expect(names(in: program.groups[1]) == ModuleRules.allowed["tools/daybook-replay"])
        var reached = names(in: program.groups[1])
        for _ in 0..<10 { reached.formUnion(reached.flatMap { ModuleRules.allowed[$0] ?? [] }) }
        #expect(reached.contains("DaybookLog"))
        #expect(!reached.contains("DaybookSigner"))
        #expect(!reached.contains("DaybookNodes"))
        #expect(!reached.contains("Daybook"))
    }

    /// A module that comes with Swift needs no word in the manifest.
    private let ofTheToolchain: Set<String> = [
        "Glibc", "Synchronization", "Dispatch", "FoundationEssentials",
    ]

    private func names(in list: String) -> Set<String> {
        Set(Pattern(#""(\w+)""#).matches(in: list).map { $0.groups[1] })
    }
}
