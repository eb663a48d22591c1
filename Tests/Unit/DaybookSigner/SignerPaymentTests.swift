import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookSigner

/// A Dash payment of 5 coins from two coins of 3, with 0.99999 change, and ways to alter it.
private struct PaymentScene {
    var terms = PaymentTerms(
        chain: .dash, network: .mainnet, recipient: "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa",
        amount: 500_000_000, highestFee: 1000)
    var transaction: UTXOTransaction
    var inputPaths: [DerivationPath]
    var changePath: DerivationPath?
    var previous: [UTXOTransaction]
    var material: PublicMaterial

    static func path(_ text: String) -> DerivationPath { DerivationPath(text)! }

    static func keys() -> UnlockedKeys {
        UnlockedKeys(.mnemonic(try! Mnemonic(parsing: secret(KeystoreTests.words))))!
    }

    static func script(_ path: String) throws -> Bytes {
        let key = try keys().publicKey(at: self.path(path))
        return Script.p2pkh(Hash160.hash(key.compressed)).bytes
    }

    static let foreign = Script.p2pkh(Bytes(repeating: 7, count: 20)).bytes

    init() throws {
        inputPaths = [Self.path("m/44'/5'/0'/0/3"), Self.path("m/0'/1/2")]
        changePath = Self.path("m/44'/5'/0'/1/5")
        previous = try inputPaths.enumerated().map { index, path in
            UTXOTransaction(
                inputs: [.init(Outpoint(.zero, UInt32(index)))],
                outputs: [
                    .init(amount: 1, script: Self.foreign),
                    .init(amount: 300_000_000, script: try Self.script(path.text)),
                ])
        }
        let recipient = UTXOAddress(terms.recipient, chain: .dash)!.scriptPubKey
        transaction = UTXOTransaction(
            inputs: previous.map { .init(Outpoint($0.txid, 1)) },
            outputs: [
                .init(amount: 99_999_000, script: try Self.script("m/44'/5'/0'/1/5")),
                .init(amount: 500_000_000, script: recipient),
            ])
        let secret = WalletSecret.mnemonic(try Mnemonic(parsing: secret(KeystoreTests.words)))
        material = try #require(try secret.publicMaterial(.dash, .mainnet))
    }

    func sign() throws -> [UnsignedTransaction.Signature] {
        let payment = UnsignedPayment(
            transaction, inputPaths: inputPaths, changePath: changePath, previous: previous)
        return try Signer(Self.keys(), material).sign(payment, under: terms)
    }

    /// The signer's refusal in the scene after an alteration.
    static func refusal(_ alter: (inout PaymentScene) throws -> Void) throws -> SigningRefusal? {
        var scene = try PaymentScene()
        try alter(&scene)
        do {
            _ = try scene.sign()
            return nil
        } catch let refusal as SigningRefusal {
            return refusal
        }
    }
}

@Suite struct SignerPaymentTests {
    private func refusal(
        _ alter: (inout PaymentScene) throws -> Void
    ) throws -> SigningRefusal? {
        try PaymentScene.refusal(alter)
    }

    @Test func `a payment on the shown terms is signed, and a node would take it`() throws {
        let scene = try PaymentScene()
        let spent = scene.previous.map { $0.outputs[1] }
        let unsigned = try #require(UnsignedTransaction(scene.transaction, spending: spent))
        let signed = try unsigned.signed(with: try scene.sign())
        #expect(signed.verifies(spending: spent))
    }

    @Test func `a payment without change is signed, and so is a lower fee than was shown`() throws {
        #expect(
            try refusal {
                $0.transaction.outputs.removeFirst()
                $0.changePath = nil
                $0.terms = terms($0.terms, highestFee: 100_000_000)
            } == nil)
        #expect(try refusal { $0.terms = terms($0.terms, highestFee: 5000) } == nil)
    }

    @Test func `the recipient and the amount are those that were shown`() throws {
        #expect(
            try refusal { $0.transaction.outputs[1].script = PaymentScene.foreign }
                == .recipientMissing)
        #expect(try refusal { $0.transaction.outputs[1].amount += 1 } == .recipientMissing)
        #expect(try refusal { $0.transaction.outputs[1].amount -= 1 } == .recipientMissing)
        #expect(
            try refusal { $0.terms = terms($0.terms, amount: 500_000_001) } == .recipientMissing)
    }

    @Test func `change goes to a change address of the wallet and nowhere else`() throws {
        #expect(
            try refusal { $0.transaction.outputs[0].script = PaymentScene.foreign }
                == .foreignOutput(0))
        #expect(try refusal { $0.changePath = nil } == .foreignOutput(0))
        // A key of the wallet at a path where no restored wallet would look.
        for path in [
            "m/44'/5'/0'/1/1000000", "m/44'/5'/0'/0/5", "m/44'/5'/1'/1/5", "m/1/5", "m/0'/1/5/6",
            "m", "m/44'/5'/0'/2/5", "m/44'/4242'/0'/1/5", "m/44'/5'/0'/1'/5",
        ] {
            #expect(
                try refusal {
                    $0.changePath = PaymentScene.path(path)
                    $0.transaction.outputs[0].script = try PaymentScene.script(path)
                } == .foreignOutput(0), "\(path)")
        }
    }

    @Test func `change that a restored wallet may not find is signed only as it was shown`()
        throws
    {
        func refusal(_ path: String, shown: (String, UInt64)? = nil) throws -> SigningRefusal? {
            try self.refusal {
                $0.changePath = PaymentScene.path(path)
                $0.transaction.outputs[0].script = try PaymentScene.script(path)
                $0.terms = terms(
                    $0.terms,
                    farChange: shown.map { .init(path: PaymentScene.path($0), amount: $1) })
            }
        }
        // An input at m/0'/1/2 proves that this address was used.
        for path in ["m/44'/5'/0'/1/19", "m/0'/1/19", "m/0'/1/22"] {
            #expect(try refusal(path) == nil, "\(path)")
        }
        for path in ["m/44'/5'/0'/1/20", "m/0'/1/23", "m/44'/5'/0'/1/999999"] {
            #expect(try refusal(path) == .farChange(0), "\(path)")
            #expect(try refusal(path, shown: (path, 99_999_000)) == nil)
            #expect(try refusal(path, shown: (path, 99_999_001)) == .farChange(0))
            #expect(try refusal(path, shown: ("m/0'/1/24", 99_999_000)) == .farChange(0))
        }
        #expect(
            try refusal("m/44'/5'/0'/1/1000000", shown: ("m/44'/5'/0'/1/1000000", 99_999_000))
                == .foreignOutput(0))
    }

    @Test func `a coin that returns to the wallet goes to nobody else`() throws {
        func returning(
            to script: Bytes, _ recipient: String, _ path: String?
        ) throws -> SigningRefusal? {
            try refusal {
                $0.transaction.outputs = [.init(amount: 500_000_000, script: script)]
                $0.changePath = path.map(PaymentScene.path)
                $0.terms = PaymentTerms(
                    chain: .dash, network: .mainnet, recipient: recipient, amount: 500_000_000,
                    highestFee: 100_000_000, returns: true)
            }
        }
        let own = try PaymentScene.script("m/44'/5'/0'/1/5")
        let parameters = try #require(UTXOParameters.of(.dash, .mainnet))
        let address = try #require(UTXOAddress(Script(own), parameters)).text
        #expect(try returning(to: own, address, "m/44'/5'/0'/1/5") == nil)
        #expect(try returning(to: own, address, nil) == .foreignOutput(0))
        #expect(try returning(to: own, address, "m/44'/5'/0'/1/6") == .foreignOutput(0))
        let stranger = try PaymentScene().terms.recipient
        let foreign = try #require(UTXOAddress(stranger, chain: .dash)).scriptPubKey
        for path in ["m/44'/5'/0'/1/5", nil] {
            #expect(try returning(to: foreign, stranger, path) == .foreignOutput(0))
        }
    }

    @Test func `of named coins all are spent, and no others`() throws {
        func naming(_ coins: [(index: UInt32, amount: UInt64)]) throws -> SigningRefusal? {
            try refusal { scene in
                let spent = coins.enumerated().map { place, coin in
                    PaymentTerms.SpentCoin(
                        Coin(
                            outpoint: Outpoint(scene.previous[place].txid, coin.index),
                            amount: coin.amount, script: [], confirmations: 6))
                }
                scene.terms = terms(scene.terms, coins: spent)
            }
        }
        #expect(try naming([(1, 300_000_000), (1, 300_000_000)]) == nil)
        #expect(try naming([(1, 300_000_000)]) == .otherCoins)
        #expect(try naming([(1, 300_000_000), (0, 1)]) == .otherCoins)
        #expect(try naming([(1, 300_000_000), (1, 299_999_999)]) == .otherCoins)
    }

    @Test func `a third output is refused, whoever it pays`() throws {
        #expect(
            try refusal {
                $0.transaction.outputs.append(
                    .init(amount: 0, script: try PaymentScene.script("m/44'/5'/0'/1/5")))
            } == .malformed)
        // Twice the shown amount is refused.
        #expect(
            try refusal { $0.transaction.outputs[0] = $0.transaction.outputs[1] }
                == .foreignOutput(1))
    }

    @Test func `the fee is at most the one that was shown`() throws {
        #expect(
            try refusal { $0.transaction.outputs[0].amount -= 1 }
                == .feeTooHigh(fee: 1001, highest: 1000))
        #expect(
            try refusal { $0.transaction.outputs.removeFirst() }
                == .feeTooHigh(fee: 100_000_000, highest: 1000))
        #expect(try refusal { $0.transaction.outputs[0].amount += 1001 } == .overspent)
    }

    @Test func `amounts come from the transactions that made the coins`() throws {
        // A node that says less than a coin has would have the rest taken as a fee.
        #expect(
            try refusal { $0.previous[0].outputs[1].amount -= 1 } == .previousMissing(input: 0))
        #expect(try refusal { $0.previous.removeLast() } == .previousMissing(input: 1))
        #expect(
            try refusal { $0.transaction.inputs[0].outpoint = Outpoint($0.previous[0].txid, 2) }
                == .previousMissing(input: 0))
        #expect(try refusal { $0.previous.reverse() } == nil)
    }

    @Test func `only coins of the wallet's own keys are spent`() throws {
        #expect(
            try refusal { $0.transaction.inputs[0].outpoint = Outpoint($0.previous[0].txid, 0) }
                == .foreignInput(0))
        #expect(try refusal { $0.inputPaths.swapAt(0, 1) } == .foreignInput(0))
        #expect(
            try refusal { scene in
                scene.previous[1].outputs[1].amount = Duffs.maximum + 1
                scene.transaction.inputs[1].outpoint = Outpoint(scene.previous[1].txid, 1)
            } == .foreignInput(1))
    }

    @Test func `a coin is spent once`() throws {
        #expect(
            try refusal { scene in
                scene.transaction.inputs.append(scene.transaction.inputs[0])
                scene.inputPaths.append(scene.inputPaths[0])
            } == .repeatedInput(2))
    }

    @Test func `only an ordinary transaction that any block may have is signed`() throws {
        #expect(try refusal { $0.transaction.lockTime = 1 } == .malformed)
        #expect(try refusal { $0.transaction.version = 3 } == .malformed)
        #expect(
            try refusal {
                $0.transaction.version = 3
                $0.transaction.type = 5
            } == .malformed)
        #expect(try refusal { $0.transaction.type = 1 } == .malformed)
        #expect(try refusal { $0.transaction.extraPayload = [1] } == .malformed)
        #expect(try refusal { $0.transaction.outputs = [] } == .malformed)
        #expect(try refusal { $0.inputPaths.removeLast() } == .malformed)
        #expect(
            try refusal {
                $0.transaction.inputs = []
                $0.inputPaths = []
            } == .malformed)
    }

    @Test func `terms of another chain or network sign nothing`() throws {
        #expect(try refusal { $0.terms = terms($0.terms, network: .sandbox) } == .wrongNetwork)
        #expect(try refusal { $0.terms = terms($0.terms, chain: .axe) } == .wrongNetwork)
        // Nothing else is wrong: the same keys, and a transaction that pays the recipient.
        for (chain, recipient) in [
            (Chain.axe, "P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8"),
            (.dash, "yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf"),
        ] {
            let script = try #require(UTXOAddress(recipient, chain: chain)).scriptPubKey
            #expect(
                try refusal {
                    $0.terms = terms($0.terms, chain: chain, recipient: recipient)
                    $0.transaction.outputs[1].script = script
                } == .wrongNetwork)
        }
        #expect(try refusal { $0.terms = terms($0.terms, recipient: "nobody") } == .wrongNetwork)
    }

    @Test func `scripts in the inputs are not signed`() throws {
        let plain = try PaymentScene().sign().map(\.signature.compact)
        var scene = try PaymentScene()
        scene.transaction.inputs[0].script = [1, 2, 3]
        #expect(try scene.sign().map(\.signature.compact) == plain)
    }

    private func terms(
        _ terms: PaymentTerms, chain: Chain? = nil, network: Network? = nil,
        recipient: String? = nil, amount: UInt64? = nil, highestFee: UInt64? = nil,
        farChange: PaymentTerms.FarChange? = nil, coins: [PaymentTerms.SpentCoin] = []
    ) -> PaymentTerms {
        PaymentTerms(
            chain: chain ?? terms.chain, network: network ?? terms.network,
            recipient: recipient ?? terms.recipient, amount: amount ?? terms.amount,
            highestFee: highestFee ?? terms.highestFee, farChange: farChange, coins: coins)
    }
}
