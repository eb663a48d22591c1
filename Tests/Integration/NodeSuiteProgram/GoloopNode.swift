import Daybook
import DaybookChains
import DaybookCommands
import DaybookCrypto
import DaybookEncoding
import DaybookNodes
import DaybookSigner
import DaybookSystem
import NodeSuite

/// An ICON node of a local network, by the options that name it.
struct GoloopNode: TestedNode {
    let target: HTTPTarget
    let debug: HTTPTarget?
    let name = "icon"
    private let bank: Account
    private let isBankGiven: Bool
    private let token: ICONAddress?

    /// The node that the options name; nil if they name none.
    init?(_ invocation: Invocation) throws {
        guard let url = invocation.value("--icon") else { return nil }
        target = HTTPTarget(url: url)
        debug = invocation.value("--icon-debug").map { HTTPTarget(url: $0) }
        let key = try Self.key(invocation)
        isBankGiven = key != nil
        bank = try Account(secret: key ?? Account.wellKnownSecret)
        token = try invocation.value("--icon-token").map { text in
            guard let token = ICONAddress(text), token.kind == .contract else {
                throw CommandFailure.usage("--icon-token takes a contract's address")
            }
            return token
        }
    }

    func problem() async throws -> String? {
        let calls = NodeCalls(target)
        do {
            let nid = try await calls.networkID()
            guard !Self.publicNetworks.contains(nid) else { return "it is of a public network" }
            let isFunded = try await calls.balance(of: bank.address) > .zero
            return isFunded || !isBankGiven ? nil : "\(bank.address.text) has nothing"
        } catch {
            return "\(error)"
        }
    }

    func run(into report: inout CheckReport) async throws {
        let client = ICONNode(
            .regtest, HTTPClient(target), debug: debug.map { HTTPClient($0) },
            clock: Clock.nowMicroseconds)
        let calls = NodeCalls(target)
        let nid = try await calls.networkID()
        let isFunded = try await calls.balance(of: bank.address) > .zero
        let driver = NodeICONDriver(
            target, nid: nid, client: client, bank: isFunded ? bank : nil, token: token,
            pause: { try await Task.sleep(for: .milliseconds(300)) })
        for check in ICONChecks.all(NodeICONDriver.self) + ICONChecks.ofNodes() {
            try report.add("icon", check.name, await check.run(on: driver))
        }
        let scene = StoreScene(.icon, target, debug: debug, programs: try ProgramsFolder.path())
        for check in StoreChecks.icon(scene) {
            try report.add("icon", check.name, await check.run(on: driver))
        }
    }

    /// The private key that the options name.
    private static func key(_ invocation: Invocation) throws -> Bytes? {
        if let text = try SecretFile.read(invocation, "--icon-key-file") {
            let digits = String(decoding: text, as: UTF8.self)
            guard let key = Hex.decode(digits.hasPrefix("0x") ? digits.dropFirst(2) : digits[...])
            else { throw CommandFailure.usage("--icon-key-file holds no hex") }
            return key
        }
        guard let file = try SecretFile.read(invocation, "--icon-keystore") else { return nil }
        guard let passphrase = try SecretFile.read(invocation, "--icon-passphrase-file") else {
            throw CommandFailure.usage("--icon-keystore goes with --icon-passphrase-file")
        }
        let secret = try ICONKeystoreFile(file).unlock(password: SecretBytes(copying: passphrase))
        guard case .key(let key) = secret else { return nil }
        return key.key.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Mainnet, Lisbon and Berlin: what is spent there is somebody's.
    private static let publicNetworks: Set<UInt64> = [1, 2, 7]
}
