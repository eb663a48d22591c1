import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// Calls to a real Dash Core about PSBTs, with answers: `Fixtures/psbt/dash-psbt.jsonl`.
struct DashExchange: CustomTestStringConvertible, Sendable {
    let label: String
    let method: String
    /// The PSBTs in the question, and the transactions as hexadecimal digits.
    let asked: [String]
    /// The answer as JSON text: its result, or null.
    let result: Data
    let isRefused: Bool

    var testDescription: String { label }

    var fields: [String: Any] { value as? [String: Any] ?? [:] }
    var text: String? { value as? String ?? fields["psbt"] as? String }
    var isComplete: Bool { fields["complete"] as? Bool ?? false }

    private var value: Any {
        try! JSONSerialization.jsonObject(with: result, options: .fragmentsAllowed)
    }

    static let all: [DashExchange] = lines.compactMap { line in
        guard let question = line["req"] as? [String: Any], let answer = line["resp"] as? String
        else { return nil }
        let content = try! JSONSerialization.jsonObject(with: Data(answer.utf8))
        let fields = content as! [String: Any]
        let params = question["params"] as! [Any]
        return DashExchange(
            label: line["label"] as! String, method: question["method"] as! String,
            asked: params.first as? [String] ?? (params.first as? String).map { [$0] } ?? [],
            result: try! JSONSerialization.data(
                withJSONObject: fields["result"]!, options: .fragmentsAllowed),
            isRefused: !(fields["error"] is NSNull))
    }

    static func of(_ method: String) -> [DashExchange] { all.filter { $0.method == method } }

    static func labelled(_ start: String) -> DashExchange {
        all.first { $0.label.hasPrefix(start) }!
    }

    fileprivate static var lines: [[String: Any]] {
        let text = try! Fixture.text("psbt/dash-psbt.jsonl")
        return text.split(separator: "\n").map { line in
            try! JSONSerialization.jsonObject(with: Data(line.utf8)) as! [String: Any]
        }
    }
}

/// A payment of a real Dash Core by PSBT with all its steps (`VECTOR V1` to `V4`).
struct DashPSBTVector: CustomTestStringConvertible, Sendable {
    /// A key that signs.
    struct Key: Sendable {
        let path: DerivationPath
        let wif: String
        let publicKey: PublicKey

        var secret: PrivateKey {
            let payload = Base58Check.decode(wif)!
            return PrivateKey(SecretBytes(copying: Bytes(payload[1..<33])))!
        }
    }

    let name: String
    let created: String?
    let updated: String
    /// With all signatures, before it is finalized.
    let signed: [String]
    let finalized: String
    let hex: String
    let txid: String
    let keys: [Key]
    let previous: [Bytes]

    var testDescription: String { name }

    /// Of all of them: `m/44'/1'/0'` of the words that every test uses.
    static let account = ExtendedPublicKey(
        "tpubDC5FSnBiZDMmhiuCmWAYsLwgLYrrT9rAqvTySfuCCrgsWz8wxMXUS9Tb9iVMvcRbvFcAHGkMD5Kx8koh4G"
            + "quNGNTfohfk7pgjhaPCdXpoba")!
    static let masterFingerprint: UInt32 = 0x73c5_da0a

    static let all: [DashPSBTVector] = DashExchange.lines.compactMap { line in
        guard let fields = line["vector"] as? [String: Any] else { return nil }
        let keys = fields["keys"] as! [[String: String]]
        return DashPSBTVector(
            name: (line["label"] as! String).split(separator: " ")[1].description,
            created: fields["created"] as? String, updated: fields["updated"] as! String,
            signed: ["partially_signed", "signed_A", "signed_B", "combined"].compactMap {
                fields[$0] as? String
            },
            finalized: fields["finalized"] as! String, hex: fields["hex"] as! String,
            txid: fields["txid"] as! String,
            keys: keys.map { key in
                Key(
                    path: DerivationPath(key["path"]!)!, wif: key["wif"]!,
                    publicKey: PublicKey(Hex.decode(key["pub"]!)!)!)
            },
            previous: (fields["previous_transactions"] as! [String]).map { Hex.decode($0)! })
    }

    /// The exchanges in which one key signs each input.
    static let single = all.filter { $0.name != "V4" }
}

/// A test vector of BIP 174 or BIP 370.
struct PSBTVector: CustomTestStringConvertible, Sendable {
    let kind: String
    let name: String
    let base64: String

    var testDescription: String { name }

    static func of(_ kind: String, in file: String = "bip174") -> [PSBTVector] {
        try! Fixture.rows("psbt/\(file).tsv").filter { $0[0].hasPrefix(kind) }.map { fields in
            PSBTVector(kind: fields[0], name: fields[1], base64: fields[2])
        }
    }
}
