import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookSigner

struct WatchedKeyTests {
    private let own: PublicMaterial
    private let account: PublicMaterial.Account

    init() throws {
        own = try OfflineScene.dash()
        guard case .accounts(let accounts) = own.keys else { throw WatchedKeyError.text(.empty) }
        account = accounts[0]
    }

    private func material(
        _ text: String, _ chain: Chain = .dash, _ network: Network = .mainnet,
        coinType: UInt32? = nil
    ) throws(WatchedKeyError) -> PublicMaterial {
        try WatchedKey.material(
            of: text, chain: chain, network: network, networkID: nil, coinType: coinType)
    }

    @Test func `a watched wallet gives the text by which it is watched`() throws {
        let text = WatchedKey.text(of: own)
        let fingerprint = Hex.encode(BigEndian.fourBytes(own.masterFingerprint))
        #expect(own.masterFingerprint != 0)
        #expect(text.hasPrefix("[\(fingerprint)/44'/5'/0']xpub"))
        let watched = try material(text)
        #expect(watched.masterFingerprint == own.masterFingerprint)
        #expect(WatchedKey.text(of: watched) == text)
        for path in ["m/44'/5'/0'/0/7", "m/44'/5'/0'/1/3"] {
            let path = try #require(DerivationPath(path))
            #expect(watched.publicKey(at: path) == own.publicKey(at: path))
        }
        #expect(watched.publicKey(at: try #require(DerivationPath("m/0'/0/0"))) == nil)
        let bare = try material(account.bip44)
        #expect(bare.masterFingerprint == 0)
        #expect(WatchedKey.text(of: bare) == account.bip44)
        #expect(bare.sharesKeys(with: watched))
        // The file's and the log's key material is read again as it was.
        #expect(PublicMaterial(watched.coded) == watched)
        #expect(PublicMaterial(bare.coded) == bare)
    }

    @Test func `an ICON wallet is watched by its public key`() throws {
        let own = try OfflineScene.iconMaterial()
        let text = WatchedKey.text(of: own)
        for text in [text, "0x\(text)", text.uppercased(), " \(text)\n", "pkh(\(text))"] {
            let watched = try WatchedKey.material(
                of: text, chain: .icon, network: .sandbox, networkID: 3)
            #expect(watched == own)
        }
    }

    @Test func `the descriptors that we export are taken, one by one and all together`() throws {
        let descriptors = OutputDescriptor.all(of: own)
        for descriptor in descriptors {
            let watched = try material(descriptor.text)
            #expect(watched.masterFingerprint == own.masterFingerprint)
            let again = OutputDescriptor.all(of: watched)
            #expect(again == descriptors.filter { $0.isBIP44 == descriptor.isBIP44 })
            #expect(try material(WatchedKey.text(of: watched)) == watched)
        }
        let all = descriptors.map(\.text).joined(separator: "\n") + "\n"
        #expect(try material(all) == own)
        let secret = try OfflineScene.mnemonic()
        let several = try #require(
            try secret.publicMaterial(.dash, .mainnet, accounts: [0, 1, 2]))
        let texts = OutputDescriptor.all(of: several).map(\.text)
        #expect(try material(texts.reversed().joined(separator: " ")) == several)
    }

    @Test func `a key with its origin is the same in every spelling`() throws {
        for seed in 0..<2_000 {
            var random = Seeded(UInt64(seed))
            let master = random.chance(10) ? 0 : UInt32(truncatingIfNeeded: random.next())
            let text = KeySpelling.text(of: account.bip44, master: master, &random)
            let watched = try material(text)
            #expect(watched.masterFingerprint == master, "\(text)")
            guard case .accounts(let accounts) = watched.keys else { continue }
            #expect(accounts.map(\.bip44) == [account.bip44])
            let origin = KeyOrigin(
                masterFingerprint: master, path: DerivationPath.account(0, coinType: 5)!)
            #expect(
                OutputDescriptor.all(of: watched)[0].text.hasPrefix(
                    master == 0 ? "pkh(xpub" : "pkh(\(origin.spelled)xpub"))
        }
    }

    @Test func `each cause of a bad key has its own words, with what to do`() throws {
        var sentences: [String: WatchedKeyError] = [:]
        for (text, expected) in try KeyFaults.all(account) {
            let error = #expect(throws: WatchedKeyError.self, "\(text)") { try material(text) }
            #expect(error == expected, "\(text)")
            guard let error else { continue }
            let sentence = error.description
            #expect(sentences[sentence] ?? error == error, "one sentence for two causes")
            sentences[sentence] = error
            #expect(sentence.utf8.count > 40 && !sentence.contains(account.bip44))
            #expect(!sentence.contains(KeyFaults.privateKey.prefix(20)))
        }
        #expect(sentences.count >= 24)
    }

    @Test func `another chain, network or coin type is named`() throws {
        let other = ExtendedKeyFault.network(.main, .testnet)
        #expect(throws: WatchedKeyError.key(other)) { try material(account.bip44, .dash, .testnet) }
        #expect(throws: WatchedKeyError.text(.notForICON)) { try material(account.bip44, .icon) }
        #expect(try material(account.bip44, .axe, coinType: 4242) != own)
        #expect(throws: WatchedKeyError.origin(.coinType(6, expected: 6))) {
            try material(account.bip44, .axe, coinType: 6)
        }
        let axe = "[73c5da0a/44'/5'/0']\(account.bip44)"
        #expect(throws: WatchedKeyError.origin(.coinType(5, expected: 4242))) {
            try material(axe, .axe, coinType: 4242)
        }
    }
}

extension KeyOrigin {
    fileprivate var spelled: String {
        "[\(Hex.encode(BigEndian.fourBytes(masterFingerprint)))\(path.text.dropFirst())]"
    }
}

/// Spellings of an account's key, drawn by chance.
private enum KeySpelling {
    static func text(of key: String, master: UInt32, _ random: inout Seeded) -> String {
        let mark = random.pick(["'", "h", "H"])
        var digits = Hex.encode(BigEndian.fourBytes(master))
        if random.chance(30) { digits = digits.uppercased() }
        let hasOrigin = master != 0 || random.chance(50)
        var text = hasOrigin ? "[\(digits)/44\(mark)/5\(mark)/0\(mark)]" : ""
        text += key + random.pick(["", "", "/0/*", "/1/*", "/<0;1>/*", "/**"])
        if random.chance(50) {
            text = "pkh(\(text))"
            if random.chance(70) { text += "#\(OutputDescriptor.checksum(of: text))" }
        }
        let ends = ["", "\n", "\r\n", " ", "\n\n", "\u{feff}", "\u{3000}"]
        if random.chance(10) {
            // Copied from a page in two lines.
            text.insert("\n", at: text.index(text.startIndex, offsetBy: 1 + random.below(100)))
        }
        return random.pick(ends) + text + random.pick(ends)
    }
}

/// Texts that are no account's key, each with its cause.
private enum KeyFaults {
    static let privateKey = "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvN"
        + "KmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"

    static func all(
        _ account: PublicMaterial.Account
    ) throws -> [(String, WatchedKeyError)] {
        let key = try #require(ExtendedPublicKey(account.bip44))
        return texts + keys(account.bip44) + (try depths(key)) + origins(account)
            + descriptors(account)
    }

    private static let texts: [(String, WatchedKeyError)] = [
        ("", .text(.empty)), (" \n\u{feff}", .text(.empty)),
        (String(repeating: "x", count: 1 << 17 + 1), .text(.tooLong(1 << 17 + 1))),
        (privateKey, .text(.privateKey(.extended))),
        ("pkh([73c5da0a/44h/5h/0h]\(privateKey)/0/*)", .text(.privateKey(.extended))),
        ("tprv8Zg", .text(.privateKey(.extended))),
        ("XBHddvWWiMu3nZhhpTXBQWJMmdz5JNKJD85b9fgKAckCT2coW3Y4", .text(.privateKey(.wif))),
        ("6PYNKZ1EAgYgmQfmNVamxyXVWHzK5s6DGhwP4J5o44cvXdoY7sRzhtpUeo",
            .text(.privateKey(.encrypted))),
        (String(repeating: "0f", count: 32), .text(.privateKey(.hexadecimal))),
        ("0x" + String(repeating: "0F", count: 32), .text(.privateKey(.hexadecimal))),
        (KeystoreTests.words, .text(.privateKey(.words))),
        (OfflineScene.recipient, .text(.address)), (OfflineScene.icon, .text(.address)),
        (String(repeating: "02", count: 32) + "0", .text(.digits(65))),
        (String(repeating: "02", count: 34), .text(.digits(68))),
        ("04" + String(repeating: "01", count: 64), .text(.uncompressed)),
        (String(repeating: "0", count: 66), .text(.noPoint)),
    ]

    private static func keys(_ key: String) -> [(String, WatchedKeyError)] {
        var faults: [(String, WatchedKeyError)] = []
        for (place, character) in [(7, "0"), (30, "O"), (110, "I"), (5, "l"), (9, "é")] {
            let index = key.index(key.startIndex, offsetBy: place)
            let text = key.replacingCharacters(in: index...index, with: character)
            faults.append((text, .key(.character(character, at: place + 1))))
        }
        faults.append((String(key.dropLast()), .key(.length(110))))
        faults.append((key + "x", .key(.length(112))))
        faults.append(("xpub", .key(.length(4))))
        let changed = String(key.dropLast(3)) + (key.hasSuffix("abc") ? "abd" : "abc")
        faults.append((changed, .key(.checksum)))
        return faults
    }

    private static func depths(_ key: ExtendedPublicKey) throws -> [(String, WatchedKeyError)] {
        var faults: [(String, WatchedKeyError)] = []
        let child = try #require(key.child(0))
        faults.append((child.text, .key(.depth(4))))
        faults.append((try #require(child.child(1)).text, .key(.depth(5))))
        for (depth, number, fault) in [
            (UInt8(0), UInt32(0), ExtendedKeyFault.depth(0)), (2, 1 << 31, .depth(2)),
            (3, 7, .notHardened), (1, 0, .notHardened),
        ] {
            faults.append((spelled(key, depth: depth, number: number), .key(fault)))
        }
        for version in [0x04b2_4746, 0x019d_a462] as [UInt32] {
            let text = spelled(key, version: version)
            faults.append((text, .key(.version(String(text.prefix(4))))))
        }
        let test = spelled(key, version: AddressFormat.test.extendedPublicVersion)
        faults.append((test, .key(.network(.test, .mainnet))))
        faults.append((spelled(key, point: Bytes(repeating: 9, count: 33)), .key(.noPoint)))
        return faults
    }

    private static func spelled(
        _ key: ExtendedPublicKey, version: UInt32 = AddressFormat.main.extendedPublicVersion,
        depth: UInt8 = 3, number: UInt32 = 1 << 31, point: Bytes? = nil
    ) -> String {
        let parent: UInt32 = depth == 0 ? 0 : key.parentFingerprint
        return Base58Check.encode(
            BigEndian.fourBytes(version) + [depth] + BigEndian.fourBytes(parent)
                + BigEndian.fourBytes(number) + key.chainCode
                + (point ?? key.publicKey.compressed))
    }

    private static func origins(
        _ account: PublicMaterial.Account
    ) -> [(String, WatchedKeyError)] {
        let forms = [
            "[]", "[73c5da/44'/5'/0']", "[73c5da0a/44'/5'/0'", "[73c5da0g/44'/5'/0']",
            "[73c5da0a/44’/5’/0’]", "[73c5da0a/44'/5'/0'']", "[73c5da0a 44'/5'/0']",
        ]
        let paths = [
            ("[73c5da0a/44'/5'/1']", "m/44'/5'/1'"), ("[73c5da0a/44'/5']", "m/44'/5'"),
            ("[73c5da0a]", "m"), ("[73c5da0a/44'/5'/0]", "m/44'/5'/0"),
        ]
        return forms.map { ($0 + account.bip44, .origin(.form)) }
            + paths.map {
                ($0 + account.bip44, .origin(.path($1, depth: 3, number: 0)))
            } + [
                ("[73c5da0a/44/5'/0']\(account.bip44)", .origin(.purpose("m/44/5'/0'"))),
                ("[73c5da0a/9'/5'/0']\(account.bip44)", .origin(.purpose("m/9'/5'/0'"))),
                ("[73c5da0a/44'/1'/0']\(account.bip44)", .origin(.coinType(1, expected: 5))),
                ("[01020304/0']\(account.bip32)", .origin(.fingerprint)),
                ("[01020304/0']02\(String(repeating: "79", count: 32))", .text(.noPoint)),
                ("[01020304/0']\(singleKey)", .origin(.singleKey)),
            ]
    }

    private static let singleKey =
        "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

    private static func descriptors(
        _ account: PublicMaterial.Account
    ) -> [(String, WatchedKeyError)] {
        let key = account.bip44
        let functions = ["wpkh", "sh", "wsh", "tr", "combo", "multi", "raw", "addr", "PKH", ""]
        let branches = ["/2/*", "/0/5", "/0", "/*", "/0/*'", "/0'/*", "/<1;0>/*", "/", "/0/*)"]
        return functions.map { ("\($0)(\(key)/0/*)", .descriptor(.function($0))) }
            + branches.map { ("\(key)\($0)", .descriptor(.branch($0))) } + [
                ("pkh(\(key)/0/*", .descriptor(.parenthesis)),
                ("pkh(\(key)/0/*)#qqqqqqqq", .descriptor(.checksum)),
                ("pkh(\(key)/0/*)#", .descriptor(.checksum)),
                ("\(key) \(account.bip32)", .descriptor(.severalWallets)),
                ("\(singleKey) \(singleKey)", .descriptor(.severalWallets)),
            ]
    }
}
