import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookSigner

struct SigningRequestTests {
    @Test func `a PSBT comes to its terms, and its signatures make a valid transaction`() throws {
        let material = try OfflineScene.dash()
        let content = SigningRequest.payment(try OfflineScene.payment()).file
        let (terms, request) = try OfflineScene.signed(content, material)
        #expect(
            terms
                == .payment(
                    PaymentTerms(
                        chain: .dash, network: .mainnet, recipient: OfflineScene.recipient,
                        amount: 500_000_000, highestFee: 1000)))
        guard case .payment(let psbt) = try SigningRequest(file: request.file) else {
            Issue.record("no PSBT")
            return
        }
        let signed = try psbt.signedTransaction()
        #expect(signed.verifies(spending: try psbt.spentOutputs()))
        #expect(try psbt.finalized().signedTransaction() == signed)
    }

    @Test func `JSON comes to its terms, and its signature is the sender's`() throws {
        let material = try OfflineScene.iconMaterial()
        let transaction = try OfflineScene.transaction()
        let content = SigningRequest.icon(.init(transaction, on: .sandbox)).file
        let (terms, request) = try OfflineScene.signed(content, material)
        #expect(
            terms
                == .icon(
                    ICONTerms(network: .sandbox, params: transaction.params, highestFee: nil)))
        guard case .icon(let read) = try SigningRequest(file: request.file) else {
            Issue.record("no JSON")
            return
        }
        #expect(read.transaction.isSigned(by: try #require(read.signature)))
    }

    /// The signer signs only the terms that the altered file shows.
    @Test func `a byte of a PSBT altered signs nothing but what is shown`() throws {
        let material = try OfflineScene.dash()
        let bytes = try OfflineScene.payment().serialized()
        var signed = 0
        for (altered, place) in alterations(of: bytes) {
            guard let (terms, request) = try? OfflineScene.signed(altered, material),
                case .payment(let shown) = terms, case .payment(let psbt) = request
            else { continue }
            signed += 1
            let transaction = try psbt.signedTransaction()
            let spent = try psbt.spentOutputs()
            #expect(transaction.verifies(spending: spent))
            let recipient = try #require(UTXOAddress(shown.recipient, chain: .dash))
            var left = spent.reduce(0) { $0 + $1.amount }
            var paid = 0
            for output in transaction.outputs {
                left -= output.amount
                if output.script == recipient.scriptPubKey, output.amount == shown.amount {
                    paid += 1
                } else {
                    #expect(isChange(output.script, material), "byte \(place)")
                }
            }
            #expect(paid == 1 && left <= shown.highestFee, "byte \(place)")
        }
        // Fingerprints, unknown fields and amounts that are then shown.
        #expect(signed > 50)
    }

    @Test func `a byte of the JSON altered signs nothing but what is shown`() throws {
        let material = try OfflineScene.iconMaterial()
        let transaction = try OfflineScene.transaction()
        let bytes = SigningRequest.icon(.init(transaction, on: .sandbox)).file
        var signed = 0
        for (altered, place) in alterations(of: bytes) {
            guard let (terms, request) = try? OfflineScene.signed(altered, material),
                case .icon(let shown) = terms, case .icon(let read) = request
            else { continue }
            signed += 1
            let signature = try #require(read.signature)
            let agreed = try ICONTransaction(params: shown.params)
            #expect(agreed.isSigned(by: signature), "byte \(place)")
            #expect(agreed == transaction || terms.content() != nil, "byte \(place)")
        }
        #expect(signed > 50)
    }

    @Test func `another output is change only if its key is the wallet's own`() throws {
        let material = try OfflineScene.dash()
        let key = try #require(material.publicKey(at: DerivationPath("m/44'/5'/0'/1/5")!))
        var psbt = try OfflineScene.payment()
        psbt.outputs[0].remove(PSBTField.outputOrigin)
        #expect(throws: SigningRequestError.recipients(2)) { try psbt.payment(from: material) }
        // The change key's origin, said of the recipient's output, and of a receive path.
        psbt.add(
            OfflineScene.origin(DerivationPath("m/44'/5'/0'/1/5")!), of: key, ofOutput: 1)
        #expect(throws: SigningRequestError.recipients(2)) { try psbt.payment(from: material) }
        psbt = try OfflineScene.payment()
        psbt.add(
            OfflineScene.origin(DerivationPath("m/44'/5'/0'/0/5")!), of: key, ofOutput: 0)
        #expect(throws: SigningRequestError.recipients(2)) { try psbt.payment(from: material) }
    }

    /// The scene's payment with its change, or all that is left for a fee, elsewhere.
    private func payment(
        changeTo text: String, of amount: UInt64 = 99_999_000
    ) throws -> PSBT {
        let material = try OfflineScene.dash()
        let path = try #require(DerivationPath(text))
        let key = try #require(material.publicKey(at: path))
        let original = try OfflineScene.payment()
        var transaction = original.transaction
        transaction.outputs[0] = .init(amount: amount, script: material.script(at: path)!)
        var psbt = PSBT(transaction)
        psbt.inputs = original.inputs
        psbt.add(OfflineScene.origin(path), of: key, ofOutput: 0)
        return psbt
    }

    @Test func `change further ahead than a restore looks is part of the terms`() throws {
        let material = try OfflineScene.dash()
        // The coin at 1/2 proves that this address was used.
        #expect(try payment(changeTo: "m/44'/5'/0'/1/22").payment(from: material).terms.farChange
            == nil)
        for index in [23, 999_999] {
            let path = "m/44'/5'/0'/1/\(index)"
            let content = SigningRequest.payment(try payment(changeTo: path)).file
            let (terms, _) = try OfflineScene.signed(content, material)
            #expect(
                terms.content()?["change"] == "0.99999 DASH to \(path)", "it is shown")
            #expect(warnings(of: terms) == ["farChange"])
        }
        #expect(throws: SigningRequestError.recipients(2)) {
            try payment(changeTo: "m/44'/5'/0'/1/1000000").payment(from: material)
        }
    }

    private func warnings(of terms: Terms) -> [String] {
        var content = PromptContent()
        terms.warn(TermsContext(), &content)
        return content.warnings.map(\.name)
    }

    @Test func `a fee that no prompt would show is not shown for a signature`() throws {
        let material = try OfflineScene.dash()
        func terms(fee: UInt64) throws -> Terms {
            let psbt = try payment(changeTo: "m/44'/5'/0'/1/5", of: 100_000_000 - fee)
            return try SigningRequest.payment(psbt).terms(for: material)
        }
        // Two inputs and two outputs of at most 374 bytes, and change that were dust.
        #expect(try warnings(of: terms(fee: 374_546)) == ["highFee"])
        #expect(try warnings(of: terms(fee: 100_000)) == [])
        #expect(throws: SigningRequestError.feeTooHigh(374_547, highest: 374_546)) {
            try terms(fee: 374_547)
        }
        #expect(throws: SigningRequestError.feeTooHigh(90_000_000, highest: 374_546)) {
            try terms(fee: 90_000_000)
        }
    }

    @Test func `a PSBT of another chain, network or wallet is refused`() throws {
        let material = try OfflineScene.dash()
        var psbt = try OfflineScene.payment()
        psbt.setChainID(ChainID(.axe, .mainnet))
        #expect(throws: SigningRequestError.otherWallet) { try psbt.payment(from: material) }
        psbt.setChainID(ChainID(.dash, .sandbox))
        #expect(throws: SigningRequestError.otherWallet) { try psbt.payment(from: material) }
        psbt = try OfflineScene.payment()
        psbt.inputs[1].remove(PSBTField.inputOrigin)
        #expect(throws: SigningRequestError.foreignInput(1)) { try psbt.payment(from: material) }
        psbt = try OfflineScene.payment()
        psbt.inputs[1].remove(PSBTField.previousTransaction)
        #expect(throws: SigningRequestError.psbt(PSBTError(.noPrevious, .input(1)))) {
            try psbt.payment(from: material)
        }
    }

    @Test(arguments: [
        ("\"version\": 1", "\"version\": 2"), ("signing request", "signing Request"),
        ("\"nid\": \"0x3\",\n  \"params\"", "\"nid\": \"0x1\",\n  \"params\""),
        ("sandbox", "moon"), ("\"daybook\"", "\"more\": 1, \"daybook\""),
        ("\"network\"", "\"network\": \"mainnet\", \"network\""),
        ("\"nonce\"", "\"signature\": \"AA==\", \"nonce\""),
    ])
    func `JSON that says something else is refused`(part: String, other: String) throws {
        let request = SigningRequest.icon(.init(try OfflineScene.transaction(), on: .sandbox))
        let text = String(decoding: request.file, as: UTF8.self)
        let altered = text.replacing(part, with: other)
        #expect(altered != text)
        #expect(throws: SigningRequestError.self) {
            try SigningRequest(file: Bytes(altered.utf8))
        }
    }

    // MARK: -

    /// Each byte with one bit flipped, and with another value.
    private func alterations(of bytes: Bytes) -> [(Bytes, Int)] {
        bytes.indices.flatMap { place in
            [UInt8(1), 4, 0x20, 0x80].map { bits in
                var altered = bytes
                altered[place] ^= bits
                return (altered, place)
            }
        }
    }

    private func isChange(_ script: Bytes, _ material: PublicMaterial) -> Bool {
        (0..<40).contains { index in
            ["m/44'/5'/0'/1/\(index)", "m/0'/1/\(index)"].contains {
                material.script(at: DerivationPath($0)!) == script
            }
        }
    }
}
