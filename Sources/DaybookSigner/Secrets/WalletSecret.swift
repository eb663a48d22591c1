package import DaybookChains
package import DaybookCrypto
import DaybookEncoding

/// The secret of a wallet, from which its keys are derived.
package enum WalletSecret: ~Copyable, Sendable {
    /// Words, from which a tree of keys is derived.
    case mnemonic(Mnemonic)
    /// One key.
    case key(SingleKey)

    /// The wallet's public material; nil if a coin type, an account or a key is impossible.
    ///
    /// `coinType` defaults to the chain's own. An ICON wallet has a single key. The accounts with
    /// `coinJoin` get the key of mixed coins too.
    package func publicMaterial(
        _ chain: Chain, _ network: Network, networkID: UInt64? = nil, coinType: UInt32? = nil,
        accounts: [UInt32] = [0], coinJoin: Set<UInt32> = []
    ) throws(KeyDerivationError) -> PublicMaterial? {
        switch self {
        case .key(let single):
            let key = single.publicKey
            return PublicMaterial(
                chain: chain, network: network, networkID: networkID,
                keys: .single(publicKey: single.isCompressed ? key.compressed : key.uncompressed))
        case .mnemonic(let mnemonic):
            guard let parameters = UTXOParameters.of(chain, network),
                let master = ExtendedPrivateKey(seed: try mnemonic.seed())
            else { return nil }
            let coinType = coinType ?? parameters.coinType
            guard parameters.coinTypes.contains(coinType), !accounts.isEmpty else { return nil }
            var list: [PublicMaterial.Account] = []
            for number in accounts {
                guard
                    let account = Self.account(
                        number, coinType: coinType, of: master, parameters.format,
                        withCoinJoin: coinJoin.contains(number))
                else { return nil }
                list.append(account)
            }
            return PublicMaterial(
                chain: chain, network: network, networkID: networkID, keys: .accounts(list))
        }
    }

    /// Derives the ICON key of words; nil for another kind of secret, or an unknown coin type.
    ///
    /// Only this key is sealed: an ICON wallet has one address, so the words are not needed again.
    package func iconKey(coinType: UInt32) throws(KeyDerivationError) -> WalletSecret? {
        switch self {
        case .key: return nil
        case .mnemonic(let mnemonic):
            guard let path = DerivationPath.icon(coinType: coinType),
                let master = ExtendedPrivateKey(seed: try mnemonic.seed()),
                let descendant = master.descendant(path)
            else { return nil }
            return .key(SingleKey(descendant.key.copy()))
        }
    }

    /// The ICON address of a single key; nil for words.
    package var iconAddress: String? {
        switch self {
        case .key(let single): ICONAddress(single.publicKey).text
        case .mnemonic: nil
        }
    }

    /// Whether public material belongs to this secret; checked after each unlock.
    func makes(_ material: PublicMaterial) -> Bool {
        var numbers: [UInt32] = []
        var coinType: UInt32?
        var coinJoin: Set<UInt32> = []
        if case .accounts(let accounts) = material.keys {
            numbers = accounts.map(\.number)
            coinType = accounts.first?.coinType
            coinJoin = Set(accounts.filter { !$0.coinJoin.isEmpty }.map(\.number))
        }
        let own = try? publicMaterial(
            material.chain, material.network, networkID: material.networkID, coinType: coinType,
            accounts: numbers, coinJoin: coinJoin)
        return own == material
    }

    private static func account(
        _ number: UInt32, coinType: UInt32, of master: borrowing ExtendedPrivateKey,
        _ format: AddressFormat, withCoinJoin: Bool
    ) -> PublicMaterial.Account? {
        guard number < DerivationPath.hardened,
            let legacy = DerivationPath([number | DerivationPath.hardened]),
            let standard = DerivationPath.account(number, coinType: coinType),
            let mixed = DerivationPath.coinJoin(number, coinType: coinType),
            let bip32 = master.descendant(legacy)?.publicKey(format),
            let bip44 = master.descendant(standard)?.publicKey(format)
        else { return nil }
        let coinJoin = withCoinJoin ? master.descendant(mixed)?.publicKey(format)?.text : ""
        guard let coinJoin else { return nil }
        return PublicMaterial.Account(
            number: number, bip32: bip32.text, bip44: bip44.text, coinType: coinType,
            coinJoin: coinJoin)
    }
}

// MARK: - The bytes that are sealed

extension WalletSecret {
    /// The first sealed byte, which tells the kind of secret; fixed for ever.
    private enum Tag {
        static let mnemonic: UInt8 = 1
        static let compressedKey: UInt8 = 2
        static let uncompressedKey: UInt8 = 3
        /// Words with a passphrase: the words' own tag, the entropy's length, the entropy and the
        /// passphrase follow.
        static let protectedMnemonic: UInt8 = 32
        /// Words of another list than the English one; fixed for ever, as each list's number is.
        static func mnemonic(of language: WordList.Language) -> UInt8 {
            switch language {
            case .english: mnemonic
            case .japanese: 16
            case .korean: 17
            case .spanish: 18
            case .french: 19
            case .italian: 20
            case .czech: 21
            case .portuguese: 22
            case .chineseSimplified: 23
            case .chineseTraditional: 24
            }
        }
    }

    /// The bytes that are sealed: a tag, then the entropy or the key.
    func encoded() -> SecretBytes {
        switch self {
        case .mnemonic(let mnemonic):
            let tag = Tag.mnemonic(of: mnemonic.language)
            let start =
                mnemonic.passphrase.count == 0
                ? [tag] : [Tag.protectedMnemonic, tag, UInt8(mnemonic.entropy.count)]
            return mnemonic.entropy.withBytes { entropy in
                mnemonic.passphrase.withBytes { Self.joined(start, entropy, $0) }
            }
        case .key(let single):
            let tag = single.isCompressed ? Tag.compressedKey : Tag.uncompressedKey
            return single.key.withBytes { Self.joined([tag], $0, Span()) }
        }
    }

    /// Decodes sealed bytes; nil for bytes that `encoded` never writes.
    init?(decoding bytes: borrowing SecretBytes) {
        guard bytes.count > 1 else { return nil }
        let tag = bytes.withBytes { $0[0] }
        let rest = bytes.withBytes { SecretBytes(copying: $0.extracting(1..<$0.count)) }
        switch tag {
        case Tag.compressedKey, Tag.uncompressedKey:
            guard let key = PrivateKey(rest) else { return nil }
            self = .key(SingleKey(key, isCompressed: tag == Tag.compressedKey))
        case Tag.protectedMnemonic:
            guard let mnemonic = Self.protectedMnemonic(rest) else { return nil }
            self = .mnemonic(mnemonic)
        default:
            let language = WordList.Language.allCases.first { Tag.mnemonic(of: $0) == tag }
            guard let language, let mnemonic = try? Mnemonic(entropy: rest, language: language)
            else { return nil }
            self = .mnemonic(mnemonic)
        }
    }

    /// Words with a passphrase from the bytes after their tag; nil if `encoded` never writes them.
    private static func protectedMnemonic(_ bytes: borrowing SecretBytes) -> Mnemonic? {
        bytes.withBytes { bytes in
            guard bytes.count > 2,
                let language = WordList.Language.allCases.first(
                    where: { Tag.mnemonic(of: $0) == bytes[0] })
            else { return nil }
            let end = 2 + Int(bytes[1])
            guard end < bytes.count else { return nil }
            return try? Mnemonic(
                entropy: SecretBytes(copying: bytes.extracting(2..<end)), language: language,
                passphrase: SecretBytes(copying: bytes.extracting(end..<bytes.count)))
        }
    }

    private static func joined(
        _ start: Bytes, _ secret: Span<UInt8>, _ rest: Span<UInt8>
    ) -> SecretBytes {
        SecretBytes(count: start.count + secret.count + rest.count) { output in
            for index in start.indices { output[index] = start[index] }
            for index in secret.indices { output[start.count + index] = secret[index] }
            let end = start.count + secret.count
            for index in rest.indices { output[end + index] = rest[index] }
        }
    }
}

/// The key of a single-key wallet.
package struct SingleKey: ~Copyable, Sendable {
    /// The key itself.
    package let key: PrivateKey
    /// Its public key, computed once.
    let publicKey: PublicKey
    /// Whether its Dash or Axe address is made from the compressed public key (33 bytes).
    package let isCompressed: Bool

    /// Makes a secret of a key; on ICON `isCompressed` has no meaning and is true.
    package init(_ key: consuming PrivateKey, isCompressed: Bool = true) {
        publicKey = key.publicKey
        self.key = key
        self.isCompressed = isCompressed
    }
}
