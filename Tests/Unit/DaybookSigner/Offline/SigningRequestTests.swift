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
    @Test func `a PSBT with an altered byte signs only the shown terms`() throws {
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
            var payees = shown.payees
            var left = spent.reduce(0) { $0 + $1.amount }
            for output in transaction.outputs {
                left -= output.amount
                let payee = payees.firstIndex { payee in
                    UTXOAddress(payee.address, chain: .dash)?.scriptPubKey == output.script
                        && payee.amount == output.amount
                }
                if let payee {
                    payees.remove(at: payee)
                } else {
                    #expect(isChange(output.script, material), "byte \(place)")
                }
            }
            #expect(payees.isEmpty && left <= shown.highestFee, "byte \(place)")
        }
        // Fingerprints, unknown fields and amounts that are then shown.
        #expect(signed > 50)
    }

    @Test func `JSON with an altered byte signs only the shown terms`() throws {
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
        // An output that is not change is shown as paid to somebody.
        func expectShown(_ psbt: PSBT) throws {
            let terms = try psbt.payment(from: material).terms
            #expect(terms.amount == 99_999_000, "the first output")
            #expect(
                terms.others == [.init(address: OfflineScene.recipient, amount: 500_000_000)])
        }
        psbt.outputs[0].remove(PSBTField.outputOrigin)
        try expectShown(psbt)
        // The change key's origin, said of the recipient's output, and of a receive path.
        psbt.add(
            OfflineScene.origin(DerivationPath("m/44'/5'/0'/1/5")!), of: key, ofOutput: 1)
        #expect(throws: SigningRequestError.falseChange(output: 1)) {
            try psbt.payment(from: material)
        }
        psbt = try OfflineScene.payment()
        psbt.add(
            OfflineScene.origin(DerivationPath("m/44'/5'/0'/0/5")!), of: key, ofOutput: 0)
        try expectShown(psbt)
    }

    /// The scene's payment, whose recipient shares what it gets with others.
    private func payment(sharedBy payees: [(String, UInt64)]) throws -> PSBT {
        let original = try OfflineScene.payment()
        var transaction = original.transaction
        let others = payees.reduce(0) { $0 + $1.1 }
        transaction.outputs[1].amount -= others
        transaction.outputs += payees.map { address, amount in
            .init(amount: amount, script: UTXOAddress(address, chain: .dash)!.scriptPubKey)
        }
        var psbt = PSBT(transaction)
        psbt.inputs = original.inputs
        psbt.outputs[0] = original.outputs[0]
        return psbt
    }

    @Test func `a payment to several is shown with each of them, and signed`() throws {
        let material = try OfflineScene.dash()
        // A script's address, and the recipient once more.
        let script = "7SQekjmcMtR25wEPPiL6m1Mb5586R5ut33"
        let psbt = try payment(sharedBy: [(script, 150_000_000), (OfflineScene.recipient, 1000)])
        let (terms, request) = try OfflineScene.signed(
            SigningRequest.payment(psbt).file, material)
        let content = try #require(terms.content())
        #expect(content.headline.hasSuffix(" and 1.50001 DASH to 2 others"))
        for line in [
            ShownLine("to", OfflineScene.recipient), ShownLine("amount", "3.49999 DASH"),
            ShownLine("also pays", "1.5 DASH to \(script)"),
            ShownLine("also pays", "0.00001 DASH to \(OfflineScene.recipient)"),
            ShownLine("sum", "5 DASH"), ShownLine("fee", "0.00001 DASH"),
        ] { #expect(content.lines.contains(line)) }
        guard case .payment(let signed) = request else {
            Issue.record("no PSBT")
            return
        }
        let transaction = try signed.signedTransaction()
        #expect(transaction.verifies(spending: try signed.spentOutputs()))
        #expect(transaction.outputs == psbt.transaction.outputs)
    }

    @Test func `terms that leave out a payee, or name another, are not signed`() throws {
        let material = try OfflineScene.dash()
        let other = "7SQekjmcMtR25wEPPiL6m1Mb5586R5ut33"
        let content = SigningRequest.payment(try payment(sharedBy: [(other, 1000)])).file
        let request = try SigningRequest(file: content)
        guard case .payment(let whole) = try request.terms(for: material) else { return }
        for others in [[], [PaymentTerms.Payee(address: other, amount: 999)],
            [.init(address: OfflineScene.recipient, amount: 1000)],
            whole.others + [.init(address: other, amount: 1000)],
        ] as [[PaymentTerms.Payee]] {
            let less = PaymentTerms(
                chain: .dash, network: .mainnet, recipient: whole.recipient,
                amount: whole.amount, highestFee: whole.highestFee, others: others)
            #expect(throws: SigningRefusal.self) {
                try request.signed(under: .payment(less), by: OfflineScene.signer(of: material))
            }
        }
    }

    @Test func `more payees than can be read are refused, and change to several places`() throws {
        let material = try OfflineScene.dash()
        let many = try payment(
            sharedBy: Array(repeating: (OfflineScene.recipient, 1000), count: 100))
        #expect(throws: SigningRequestError.recipients(101)) { try many.payment(from: material) }
        let most = try payment(
            sharedBy: Array(repeating: (OfflineScene.recipient, 1000), count: 99))
        #expect(ShownLimits.hold(try most.payment(from: material).terms.content))
        var two = try payment(changeTo: "m/44'/5'/0'/1/6")
        var transaction = two.transaction
        transaction.outputs.append(
            .init(amount: 1000, script: material.script(at: DerivationPath("m/44'/5'/0'/1/6")!)!))
        transaction.outputs[1].amount -= 1000
        let first = two
        two = PSBT(transaction)
        (two.inputs, two.outputs[0]) = (first.inputs, first.outputs[0])
        two.outputs[2] = first.outputs[0]
        #expect(throws: SigningRequestError.changes(2)) { try two.payment(from: material) }
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
        let farthest = try payment(changeTo: "m/44'/5'/0'/1/1000000").payment(from: material)
        #expect(farthest.terms.others.count == 1, "it is shown as paid to somebody")
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
        ("\"version\": 10", "\"version\": \"10\""), ("signing request", "signing Request"),
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

    @Test(arguments: [
        (1, "was written by a development version before 1.0; make it again"),
        (11, "is newer than 10, the last one known; use the program that wrote it"),
    ])
    func `a file of another program is refused by its number`(number: Int, why: String) throws {
        let request = SigningRequest.icon(.init(try OfflineScene.transaction(), on: .sandbox))
        let text = String(decoding: request.file, as: UTF8.self)
            .replacing("\"version\": 10", with: "\"version\": \(number), \"more\": 1")
        let error = #expect(throws: SigningRequestError.self) {
            try SigningRequest(file: Bytes(text.utf8))
        }
        #expect(error?.description == "the format of the signing request \(number) \(why)")
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
