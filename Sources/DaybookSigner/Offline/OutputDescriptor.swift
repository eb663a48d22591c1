package import DaybookChains
import DaybookEncoding

/// An output descriptor (BIP 380, `pkh` of BIP 381): a node can watch addresses by it.
///
/// It begins after the last hardened step, because hardened keys need the private key.
package struct OutputDescriptor: Equatable, Sendable {
    /// The descriptor with its checksum: `pkh([73c5da0a/44'/5'/0']xpub…/0/*)#vscewf59`.
    package let text: String
    /// The account of the branch; nil for a wallet of one key.
    package let account: UInt32?
    /// The kind of the account's key that the branch is below; nil for a wallet of one key.
    package let kind: PublicMaterial.ExtendedKey.Kind?
    /// Whether it describes change addresses.
    package let isChange: Bool

    /// Whether the branch is below BIP 44's account.
    package var isBIP44: Bool { kind == .bip44 }

    /// All descriptors of a Dash or Axe wallet: each branch that its keys reach.
    package static func all(of material: PublicMaterial) -> [OutputDescriptor] {
        switch material.keys {
        case .single(let publicKey):
            return [
                OutputDescriptor(
                    text: checked("pkh(\(Hex.encode(publicKey)))"), account: nil, kind: nil,
                    isChange: false)
            ]
        case .accounts(let accounts):
            return accounts.flatMap { account in
                account.extendedKeys.flatMap { key in
                    let origin = material.origin(of: key)
                    return [false, true].map { isChange in
                        OutputDescriptor(
                            text: checked("pkh(\(origin)\(key.text)/\(isChange ? 1 : 0)/*)"),
                            account: account.number, kind: key.kind, isChange: isChange)
                    }
                }
            }
        }
    }

    private static func checked(_ text: String) -> String { "\(text)#\(checksum(of: text))" }
}

// MARK: - The checksum

extension OutputDescriptor {
    /// The eight characters behind `#` (BIP 380); empty where a character belongs to no descriptor.
    static func checksum(of text: String) -> String {
        var sum: UInt64 = 1
        var groups: [UInt64] = []
        for character in text.utf8 {
            guard let place = characters.firstIndex(of: character) else { return "" }
            sum = step(sum, UInt64(place) & 31)
            groups.append(UInt64(place) >> 5)
            if groups.count == 3 {
                sum = step(sum, groups[0] * 9 + groups[1] * 3 + groups[2])
                groups = []
            }
        }
        if !groups.isEmpty { sum = step(sum, groups.reduce(0) { $0 * 3 + $1 }) }
        for _ in 0..<8 { sum = step(sum, 0) }
        sum ^= 1
        let digits = stride(from: 35, through: 0, by: -5).map { bech32[Int(sum >> $0 & 31)] }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Adds five bits to the checksum, which detects any error of up to four characters.
    private static func step(_ sum: UInt64, _ value: UInt64) -> UInt64 {
        let next = (sum & 0x7_ffff_ffff) << 5 ^ value
        return generators.enumerated().reduce(next) { next, generator in
            sum >> (35 + generator.offset) & 1 == 1 ? next ^ generator.element : next
        }
    }

    private static let generators: [UInt64] = [
        0xf5_dee5_1989, 0xa9_fdca_3312, 0x1b_ab10_e32d, 0x37_06b1_677a, 0x64_4d62_6ffd,
    ]

    private static let characters = Array(
        (#"0123456789()[],'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~"#
            + #"ijklmnopqrstuvwxyzABCDEFGH`#"\ "#).utf8)

    private static let bech32 = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
}

extension PublicMaterial {
    /// The key origin of an extended key: `[73c5da0a/44'/5'/0']` (BIP 380).
    ///
    /// Empty if the master key's fingerprint is unknown.
    func origin(of key: ExtendedKey) -> String {
        guard masterFingerprint != 0 else { return "" }
        let fingerprint = Hex.encode(BigEndian.fourBytes(masterFingerprint))
        return "[\(fingerprint)\(key.path.text.dropFirst())]"
    }
}
