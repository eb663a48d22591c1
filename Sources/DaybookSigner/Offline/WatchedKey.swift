package import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// The text of public keys, by which a store can watch a wallet without its secret.
///
/// For Dash and Axe it is an account's extended public key, optionally with its key origin:
/// `[73c5da0a/44'/5'/0']xpub…`, or descriptors of the wallet (`pkh(…)`, BIP 380), as
/// `wallet export-descriptors` and Dash Core write them. The key of a single-key wallet has 66
/// hexadecimal digits.
package enum WatchedKey {
    /// The longest text: the descriptors of a hundred accounts.
    package static let maximumLength = 1 << 17

    /// Parses a key, or the descriptors of one wallet with white space between them.
    ///
    /// Without `coinType`, the text's own coin type is used, or else the chain's default.
    package static func material(
        of text: String, chain: Chain, network: Network, networkID: UInt64?,
        coinType: UInt32? = nil
    ) throws(WatchedKeyError) -> PublicMaterial {
        let text = Text.trimmed(Bytes(text.utf8))
        guard !text.isEmpty else { throw .text(.empty) }
        guard text.count <= maximumLength else { throw .text(.tooLong(text.count)) }
        if let kind = PrivateText.kind(of: text) { throw .text(.privateKey(kind)) }
        let reader = WatchedKeyReader(
            chain: chain, parameters: UTXOParameters.of(chain, network), coinType: coinType)
        return PublicMaterial(
            chain: chain, network: network, networkID: networkID, keys: try reader.keys(in: text))
    }

    /// The text by which another store can watch a wallet's first account.
    package static func text(of material: PublicMaterial) -> String {
        switch material.keys {
        case .single(let publicKey): return Hex.encode(publicKey)
        case .accounts(let accounts):
            guard let key = accounts.first?.extendedKeys.first else { return "" }
            return material.origin(of: key) + key.text
        }
    }
}

/// Reads the keys of one chain and network.
private struct WatchedKeyReader {
    let chain: Chain
    /// Nil for ICON, whose wallets have one key.
    let parameters: UTXOParameters?
    let coinType: UInt32?

    func keys(in text: Bytes) throws(WatchedKeyError) -> PublicMaterial.Keys {
        let parts = text.split { $0 == 0x20 || (0x09...0x0d).contains($0) }
        if parts.count > 1 {
            // A key that was copied in two lines; its checksum says so.
            let whole = Bytes(parts.joined())
            if let expression = try? KeyExpression(whole), let keys = try? keys(of: expression) {
                return keys
            }
        }
        var accounts: [WatchedAccount] = []
        for part in parts {
            switch try keys(of: try KeyExpression(Bytes(part))) {
            case .single(let key):
                guard parts.count == 1 else { throw .descriptor(.severalWallets) }
                return .single(publicKey: key)
            case .accounts(let list):
                accounts += list.map(WatchedAccount.init)
            }
        }
        return .accounts(try WatchedAccount.merged(accounts))
    }

    private func keys(
        of expression: KeyExpression
    ) throws(WatchedKeyError) -> PublicMaterial.Keys {
        let digits = expression.key.starts(with: Bytes("0x".utf8)) ? 2 : 0
        let hex = expression.key[digits...]
        if hex.allSatisfy({ Hex.value(ofDigit: $0) != nil }) {
            return .single(publicKey: try single(Hex.decode(hex), hex.count, expression))
        }
        if isAddress(expression.key) { throw .text(.address) }
        guard let parameters else { throw .text(.notForICON) }
        let key = try extendedKey(expression.key, parameters)
        return .accounts([try account(key, expression.origin, parameters)])
    }

    private func single(
        _ key: Bytes?, _ digits: Int, _ expression: KeyExpression
    ) throws(WatchedKeyError) -> Bytes {
        guard digits != 130 else { throw .text(.uncompressed) }
        guard let key, key.count == 33 else { throw .text(.digits(digits)) }
        guard PublicKey(key) != nil else { throw .text(.noPoint) }
        guard expression.origin == nil, !expression.hasBranch else { throw .origin(.singleKey) }
        return key
    }

    private func isAddress(_ key: Bytes) -> Bool {
        let text = String(decoding: key, as: UTF8.self)
        return ICONAddress(text) != nil || UTXOAddress(text, chain: .dash) != nil
            || UTXOAddress(text, chain: .axe) != nil
    }

    // MARK: - Extended keys

    private func extendedKey(
        _ text: Bytes, _ parameters: UTXOParameters
    ) throws(WatchedKeyError) -> ExtendedPublicKey {
        for (index, byte) in text.enumerated() where !Base58.isDigit(byte) {
            throw .key(
                .character(KeyExpression.character(at: index, in: text), at: index + 1))
        }
        guard let bytes = Base58.decode(text.span), bytes.count == 82 else {
            throw .key(.length(text.count))
        }
        guard let payload = Base58Check.decode(text.span) else { throw .key(.checksum) }
        let version: UInt32 = BigEndian.number(payload[0..<4])
        guard let format = ExtendedKeyVersion.format(of: version) else {
            throw .key(.version(ExtendedKeyVersion.name(of: text)))
        }
        guard format == parameters.format else { throw .key(.network(format, parameters.network)) }
        guard let publicKey = PublicKey(Bytes(payload[45...])) else { throw .key(.noPoint) }
        let key = ExtendedPublicKey(
            format: format, depth: payload[4], parentFingerprint: BigEndian.number(payload[5..<9]),
            childNumber: BigEndian.number(payload[9..<13]), chainCode: Bytes(payload[13..<45]),
            publicKey: publicKey)
        guard let key, [1, 3, 4].contains(key.depth) else { throw .key(.depth(payload[4])) }
        guard key.childNumber >= DerivationPath.hardened else {
            throw .key(key.depth == 4 ? .depth(4) : .notHardened)
        }
        return key
    }

    private func account(
        _ key: ExtendedPublicKey, _ origin: KeyOrigin?, _ parameters: UTXOParameters
    ) throws(WatchedKeyError) -> PublicMaterial.Account {
        let number = key.childNumber & ~DerivationPath.hardened
        let steps = origin?.path.components ?? []
        guard origin == nil || steps.count == Int(key.depth) && steps.last == key.childNumber else {
            throw .origin(.path(origin?.path.text ?? "", depth: key.depth, number: number))
        }
        if key.depth == 1 {
            let master = origin?.masterFingerprint ?? 0
            guard master == 0 || master == key.parentFingerprint else {
                throw .origin(.fingerprint)
            }
            return PublicMaterial.Account(
                number: number, bip32: key.text, bip44: "",
                coinType: try checked(nil, parameters))
        }
        let named = steps.count > 2 ? steps[1] & ~DerivationPath.hardened : nil
        if key.depth == 4 {
            // Only its origin tells that it is the key of mixed coins.
            guard let origin else { throw .key(.depth(4)) }
            let path = named.flatMap { DerivationPath.coinJoin(number, coinType: $0) }
            guard origin.path == path else { throw .origin(.purpose(origin.path.text)) }
            return PublicMaterial.Account(
                number: number, bip32: "", bip44: "", coinType: try checked(named, parameters),
                master: origin.masterFingerprint, coinJoin: key.text)
        }
        let isBIP44 = steps.isEmpty
            || steps[0] == 44 | DerivationPath.hardened && steps[1] >= DerivationPath.hardened
        guard isBIP44 else { throw .origin(.purpose(origin?.path.text ?? "")) }
        // The account's key at m/number' can't be derived from this key.
        return PublicMaterial.Account(
            number: number, bip32: "", bip44: key.text, coinType: try checked(named, parameters),
            master: origin?.masterFingerprint ?? 0)
    }

    /// The account's coin type: what the origin names, the caller's, or the chain's default.
    private func checked(
        _ named: UInt32?, _ parameters: UTXOParameters
    ) throws(WatchedKeyError) -> UInt32 {
        let chosen = coinType ?? named ?? parameters.coinType
        guard parameters.coinTypes.contains(chosen), named ?? chosen == chosen else {
            throw .origin(
                .coinType(named ?? chosen, expected: coinType ?? parameters.coinType))
        }
        return chosen
    }
}

/// The keys of an account as they are collected from descriptors.
private struct WatchedAccount {
    var number: UInt32
    var bip32: String
    var bip44: String
    var coinJoin: String
    let coinType: UInt32
    /// The master key's fingerprint; zero if it is unknown.
    let master: UInt32

    init(_ account: PublicMaterial.Account) {
        number = account.number
        bip32 = account.bip32
        bip44 = account.bip44
        coinJoin = account.coinJoin
        coinType = account.coinType
        master = account.bip32.isEmpty
            ? account.master : ExtendedPublicKey(account.bip32)?.parentFingerprint ?? 0
    }

    /// One account for each number; the keys must have the same master key.
    static func merged(
        _ list: [WatchedAccount]
    ) throws(WatchedKeyError) -> [PublicMaterial.Account] {
        var merged: [WatchedAccount] = []
        for account in list {
            guard let index = merged.firstIndex(where: { $0.number == account.number }) else {
                merged.append(account)
                continue
            }
            guard let bip32 = one(merged[index].bip32, account.bip32),
                let bip44 = one(merged[index].bip44, account.bip44),
                let coinJoin = one(merged[index].coinJoin, account.coinJoin)
            else { throw .descriptor(.severalWallets) }
            (merged[index].bip32, merged[index].bip44) = (bip32, bip44)
            merged[index].coinJoin = coinJoin
        }
        let hasSeveral = merged.count > 1 || merged.contains {
            [$0.bip32, $0.bip44, $0.coinJoin].count { !$0.isEmpty } > 1
        }
        // Only the same master key makes several keys one wallet.
        if hasSeveral {
            guard let master = list.first?.master, master != 0,
                list.allSatisfy({ $0.master == master })
            else { throw .descriptor(.severalWallets) }
        }
        // Addresses to receive at come from another key than that of mixed coins.
        guard merged.allSatisfy({ !$0.bip44.isEmpty || !$0.bip32.isEmpty }) else {
            throw .key(.depth(4))
        }
        let coinType = list.first { !$0.bip44.isEmpty }?.coinType ?? list.first?.coinType ?? 0
        let hasCoinType = list.filter { !$0.bip44.isEmpty || !$0.coinJoin.isEmpty }
        guard hasCoinType.allSatisfy({ $0.coinType == coinType }) else {
            throw .descriptor(.severalWallets)
        }
        return merged.sorted { $0.number < $1.number }.map { account in
            PublicMaterial.Account(
                number: account.number, bip32: account.bip32, bip44: account.bip44,
                coinType: coinType, master: account.bip32.isEmpty ? account.master : 0,
                coinJoin: account.coinJoin)
        }
    }

    /// The one of two texts that is not empty; nil if they differ.
    private static func one(_ left: String, _ right: String) -> String? {
        if left.isEmpty || Text.equal(left, right) { return right }
        return right.isEmpty ? left : nil
    }
}
