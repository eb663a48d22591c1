import Daybook
import DaybookChains
import DaybookNodes
import DaybookSystem
import NodeServer
import NodeSuite
import Testing

struct NodeClientTests {
    @Test(
        arguments: [DaybookChains.Chain.dash, .axe],
        UTXOChecks.all(NodeUTXODriver.self) + UTXOChecks.ofNodes())
    func `the client of Dash and Axe nodes holds`(
        chain: DaybookChains.Chain, check: Check<NodeUTXODriver>
    ) async throws {
        let server = try NodeServer(chain, user: "user", password: "pass")
        let parameters = try #require(UTXOParameters.of(chain, .regtest))
        let target = HTTPTarget(url: server.url, user: "user", password: Array("pass".utf8))
        let driver = try NodeUTXODriver(
            target, parameters, client: UTXONode(parameters, HTTPClient(target)), locks: true)
        expectHeld(await check.run(on: driver))
    }

    @Test(arguments: ICONChecks.all(NodeICONDriver.self) + ICONChecks.ofNodes())
    func `the client of ICON nodes holds`(check: Check<NodeICONDriver>) async throws {
        let server = try NodeServer(.icon)
        let (target, debug) = (HTTPTarget(url: server.url), HTTPTarget(url: server.url + "d"))
        let client = ICONNode(
            .regtest, HTTPClient(target), debug: HTTPClient(debug), clock: Clock.nowMicroseconds)
        let bank = try Account(secret: Account.wellKnownSecret)
        let driver = NodeICONDriver(
            target, nid: 3, client: client, bank: bank, token: ICONSandbox.token,
            pause: { server.mine() })
        expectHeld(await check.run(on: driver))
    }

    @Test func `sixty things are checked of each Dash chain, and thirty of ICON`() throws {
        let target = HTTPTarget(url: "http://127.0.0.1:9/")
        let core = [ChainName.dash, .axe].map { chain in
            UTXOChecks.all(NodeUTXODriver.self) + UTXOChecks.ofNodes()
                + StoreChecks.utxo(StoreScene(chain, target, programs: ""))
        }
        let icon = ICONChecks.all(NodeICONDriver.self) + ICONChecks.ofNodes()
            + StoreChecks.icon(StoreScene(.icon, target, programs: ""))
        for checks in core { #expect(checks.count >= 60) }
        #expect(icon.count >= 30)
        for checks in core { #expect(Set(checks.map(\.name)).count == checks.count) }
        #expect(Set(icon.map(\.name)).count == icon.count)
    }
}
