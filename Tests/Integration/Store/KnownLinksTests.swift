import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import Daybook

/// Every known link, through a whole store: what the parser says and what the wallets make of it.
struct KnownLinksTests {
    /// A link of the fixture files, and what must become of it.
    struct Known: CustomTestStringConvertible, Sendable {
        let file: String
        let json: JSON

        var number: Int64 { json["number"]?.intValue ?? 0 }
        var url: String { json["url"]?.stringValue ?? "" }
        var testDescription: String { "\(file) \(number): \(json["says"]?.stringValue ?? "")" }

        /// The verdict of the wallets, or else of the parser; nil for what is pending.
        var refusal: JSON? { json["then"] ?? json["refuses"] }

        static let all = ["dash", "axe", "iconex", "documents"].flatMap { file -> [Known] in
            let json = try? Fixture.json("links/\(file).json")
            return (json?["cases"]?.arrayValue ?? []).map { Known(file: file, json: $0) }
        }
    }

    @Test func `every known link ends as it should in a store with all wallets`() async throws {
        #expect(Known.all.count > 90)
        let store = try await storeWithWallets()
        var seen: Set<String> = []
        for known in Known.all where seen.insert(known.url).inserted {
            let request = try await store.receive(known.url)
            if let refusal = known.refusal {
                expect(request, refusal, known)
            } else if known.isForTheWallets {
                #expect(request.status == .pending, "\(known.testDescription)")
                #expect(request.prompt != nil, "\(known.testDescription)")
            }
            if request.status == .pending { _ = try await store.reject(request.id) }
        }
        try await store.expectCleanReplay()
    }

    private func expect(_ request: WalletRequest, _ refusal: JSON, _ known: Known) {
        let name = known.testDescription
        #expect(request.status == .refused, "\(name)")
        #expect(request.refusal?.rawValue == refusal["refusal"]?.stringValue, "\(name)")
        if let code = refusal["code"]?.intValue {
            #expect(request.protocolCode == Int(code), "\(name)")
        }
        if let callback = refusal["callback"] {
            #expect(request.callback == callback.stringValue, "\(name)")
        }
    }

    /// Dash, Axe and ICON on the sandbox, and the ICON key on the main network to sign for.
    private func storeWithWallets() async throws -> Store {
        let store = try TemporaryStore().open()
        _ = try await store.addTestWallet(.dash)
        _ = try await store.addTestWallet(.axe)
        let icon = try await store.addTestWallet(.icon)
        _ = try await store.addTestWallet(.icon, network: .mainnet)
        _ = try await store.fundFromFaucet(icon.id, amount: "10000000000000000000")
        _ = try await store.fundFromFaucet(icon.id, amount: "1000", token: true)
        return store
    }
}

extension KnownLinksTests.Known {
    /// The documents' own examples name addresses that no wallet of the test has.
    var isForTheWallets: Bool {
        guard let from = json["accepts"]?["from"]?.stringValue
            ?? json["accepts"]?["parameters"]?["from"]?.stringValue
        else { return true }
        return from == "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
    }
}
