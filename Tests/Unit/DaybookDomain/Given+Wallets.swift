import DaybookChains
import DaybookCrypto
import DaybookEncoding

@testable import DaybookDomain

/// Wallets, coins and requests that tests begin with.
extension Given {
    static let caller = Caller(scheme: "shop", prefix: "shop://")
    static let address = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
    static let stranger = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"

    /// The public key of the private key that is this number: for tests only.
    static func publicKey(_ number: UInt8) -> Bytes {
        let secret = SecretBytes(count: 32) { span in
            span[31] = number
        }
        return PrivateKey(secret)!.publicKey.compressed
    }

    /// Adds a single-key wallet and returns its id.
    mutating func add(
        _ chain: Chain, _ network: Network = .sandbox, key: UInt8 = 1, label: String? = nil
    ) -> WalletID {
        let id = WalletID(position)
        when(
            .walletAdded(
                WalletAdded(
                    chain: chain, network: network, networkID: chain == .icon ? 3 : nil,
                    label: label,
                    keys: .single(publicKey: Self.publicKey(key)))))
        return id
    }

    /// Adds a Dash wallet of one account, with keys that hang together as in real ones.
    mutating func addAccounts(_ network: Network = .sandbox) {
        func key(_ depth: UInt8, _ child: UInt32, _ code: UInt8) -> String {
            ExtendedPublicKey(
                format: .main, depth: depth, parentFingerprint: 1, childNumber: child,
                chainCode: Bytes(repeating: code, count: 32),
                publicKey: PublicKey(Self.publicKey(code))!)!.text
        }
        let account = WalletAdded.Account(
            number: 0, bip32: key(1, 1 << 31, 4), bip44: key(3, 1 << 31, 5), coinType: 5)
        when(
            .walletAdded(
                WalletAdded(
                    chain: .dash, network: network, networkID: nil, label: nil,
                    keys: .accounts([account]))))
    }

    /// Gives a Dash or Axe wallet a coin in a block.
    mutating func fund(
        _ wallet: WalletID, duffs: UInt64, id: UInt8 = 7, locks: Bool = true, height: UInt64? = 90,
        locked: Bool = false, coinbase: Bool = false
    ) {
        guard let row = state.wallet(wallet), let address = state.nextAddress(
            wallet, account: 0, caller: nil),
            let txid = TransactionID(Bytes(repeating: id, count: 32))
        else { return }
        var seen = ChainObserved(chain: row.wallet.chain, network: row.wallet.network)
        seen.height = 100
        seen.tip = [1]
        seen.feeRate = 1000
        seen.instantSend = locks
        seen.outputs = [
            .init(
                outpoint: Outpoint(txid, 0), script: address.script, amount: duffs,
                height: height, coinbase: coinbase)
        ]
        if locked {
            seen.transactions = [.init(txid: txid.bytes, height: height, locked: true)]
        }
        when(.chainObserved(seen))
    }

    /// The keystore signs the approved transaction with the test key of this number.
    @discardableResult
    mutating func sign(_ id: RequestID? = nil, key number: UInt8 = 1) -> [Outcome] {
        let key = PrivateKey(SecretBytes(count: 32) { $0[31] = number })!
        let id = id ?? request
        let isICON = state.request(id)?.request?.chain == .icon
        let signatures = (prepared[id]?.inputs ?? []).compactMap { input in
            isICON
                ? key.signRecoverable(digest: input.digest)?.bytes
                : key.sign(digest: input.digest)?.compact
        }
        return when(.signatureMade(SignatureMade(signatures: signatures)), request: id)
    }

    /// A payment that its user approved and the keystore signed.
    @discardableResult
    mutating func payAndSign(
        _ reading: LinkReading, from wallet: WalletID, link: String = "pay"
    ) -> RequestID {
        readings[link] = reading
        receive(link)
        approve(wallet: wallet)
        sign()
        return request
    }

    /// A node's answer about an ICON wallet, for a request or on its own.
    @discardableResult
    mutating func observeICON(
        _ wallet: WalletID, loop: UInt64, request: RequestID? = nil, times: Int = 1
    ) -> [Outcome] {
        var seen = ChainObserved(chain: .icon, network: .sandbox)
        seen.height = 5
        seen.iconFees = .init(
            price: UInt256(10), transfer: 100_000, inputByte: 200, contractCall: 25_000)
        let held = ChainObserved.Balance(
            address: state.wallet(wallet)?.address ?? "", asset: "ICX", amount: UInt256(loop))
        seen.balances = Array(repeating: held, count: times)
        seen.estimate = request == nil ? nil : 100_000
        return when(.chainObserved(seen), request: request)
    }

    /// The lines of a wallet's history, oldest first.
    func history(
        of wallet: WalletID
    ) -> [(kind: HistoryMeaning.Kind, amount: String, fee: String?)] {
        state.history.rows(.first(wallet)).map { _, row in
            let meaning = state.meaning(of: row, in: wallet)
            return (meaning.kind, row.amount.decimal, meaning.fee?.decimal)
        }
    }

    static func pay(
        _ amount: UInt64?, _ lock: Action.InstantSend = .unspecified, caller: Caller? = caller
    ) -> LinkReading {
        .request(
            Request(
                link: "test", chain: .dash,
                action: .pay(address: address, amount: amount, instantSend: lock),
                caller: caller))
    }

    static func request(
        _ action: Action, reference: Int64? = nil, chain: Chain = .icon, caller: Caller? = caller
    ) -> LinkReading {
        .request(
            Request(
                link: "test", chain: chain, action: action, caller: caller, reference: reference))
    }
}
