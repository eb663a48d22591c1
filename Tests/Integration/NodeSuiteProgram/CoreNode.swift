import Daybook
import DaybookChains
import DaybookCommands
import DaybookEncoding
import DaybookNodes
import NodeSuite

/// A Dash or Axe node on regtest, by the options that name it.
struct CoreNode: TestedNode {
    let chain: Chain
    let parameters: UTXOParameters
    let target: HTTPTarget

    var name: String { chain.rawValue }

    /// The node that the options name; nil if they name none of this chain.
    init?(_ chain: Chain, _ invocation: Invocation) throws {
        let name = chain.rawValue
        guard let parameters = UTXOParameters.of(chain, .regtest),
            let url = invocation.value("--\(name)")
        else { return nil }
        let login = try SecretFile.login(invocation, name)
        self.chain = chain
        self.parameters = parameters
        target = HTTPTarget(url: url, user: login?.user, password: login?.password)
    }

    func problem() async throws -> String? {
        do {
            try await driver().requireRegtest()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func driver() throws -> NodeUTXODriver {
        try NodeUTXODriver(
            target, parameters, client: UTXONode(parameters, HTTPClient(target)))
    }

    func run(into report: inout CheckReport) async throws {
        let driver = try driver()
        for check in UTXOChecks.all(NodeUTXODriver.self) + UTXOChecks.ofNodes() {
            try report.add(name, check.name, await check.run(on: driver))
            try await driver.restore()
        }
        let scene = StoreScene(
            chain == .dash ? .dash : .axe, target, programs: try ProgramsFolder.path())
        for check in StoreChecks.utxo(scene) {
            try report.add(name, check.name, await check.run(on: driver))
            try await driver.restore()
        }
    }
}
