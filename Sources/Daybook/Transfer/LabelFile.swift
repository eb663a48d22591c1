import DaybookChains
import DaybookDomain
import DaybookEncoding

/// Labels as other wallets exchange them (BIP 329): a JSON object a line.
enum LabelFile {
    /// A line: what it is about, and its label.
    struct Line {
        fileprivate let reference: Reference
        fileprivate let text: String?

        /// The label that this store can give; nil if it has no such thing.
        func label(_ owners: [String: WalletID]) -> Label? {
            let target: LabelTarget? =
                switch reference {
                case .subject(let subject): LabelTarget(subject)
                case .key(let key): owners[key].map { .wallet($0) }
                case .other: nil
                }
            guard let text, let target else { return nil }
            return Label(about: target, text: text)
        }
    }

    fileprivate enum Reference {
        case subject(LabelSubject)
        /// An account's extended public key.
        case key(String)
        case other
    }

    /// Reads the lines of a file.
    static func lines(in file: Bytes) throws(DaybookError) -> [Line] {
        var lines: [Line] = []
        let text = Text.ofFile(file)
        for (index, line) in text.split(separator: 0x0a, omittingEmptySubsequences: false)
            .enumerated()
        {
            let trimmed = Text.trimmed(Bytes(line))
            if !trimmed.isEmpty { lines.append(try read(trimmed, line: index + 1)) }
        }
        return lines
    }

    private static func read(_ text: Bytes, line: Int) throws(DaybookError) -> Line {
        func wrong(_ what: String) -> DaybookError {
            DaybookError("invalidLabelFile", .usage, "line \(line) of the file \(what)")
        }
        guard let object = try? JSON.parse(text, maximumDepth: 8),
            let type = object["type"]?.stringValue, let name = object["ref"]?.stringValue
        else { throw wrong("is no JSON object with the texts type and ref") }
        var label: String?
        switch object["label"] {
        case nil, .null: break
        case .string(let text): label = text.isEmpty ? nil : text
        default: throw wrong("has a label that is no text")
        }
        let lowered = name.lowercased()
        switch type {
        case "tx":
            guard let subject = LabelSubject("tx:\(lowered)") else {
                throw wrong("names a transaction by other than 64 hex digits")
            }
            return Line(reference: .subject(subject), text: label)
        case "output":
            guard let subject = LabelSubject("output:\(lowered)") else {
                throw wrong("names an output by other than TXID:N")
            }
            return Line(reference: .subject(subject), text: label)
        case "addr":
            let subject = LabelSubject("address:\(name)")
            return Line(reference: subject.map { .subject($0) } ?? .other, text: label)
        case "xpub": return Line(reference: .key(name), text: label)
        default: return Line(reference: .other, text: label)
        }
    }

    /// The wallets by the extended public keys of their accounts; the older one of two counts.
    static func owners(in state: State) -> [String: WalletID] {
        var owners: [String: WalletID] = [:]
        for (id, row) in state.wallets() {
            for key in row.wallet.material.extendedKeys where owners[key.text] == nil {
                owners[key.text] = id
            }
        }
        return owners
    }

    /// The line for a label; nil if the format has no place for it.
    static func line(_ label: Label, _ state: State) -> JSON? {
        guard let text = label.text, let (type, name) = reference(label.about, state) else {
            return nil
        }
        return .record(["type": .string(type), "ref": .string(name), "label": .string(text)])
    }

    private static func reference(
        _ target: LabelTarget, _ state: State
    ) -> (type: String, name: String)? {
        switch target.thing {
        case .wallet(let id):
            let key = state.wallet(id)?.wallet.material.extendedKeys.first
            return key.map { ("xpub", $0.text) }
        case .other(.address(let address)): return ("addr", address)
        case .other(.transaction(let txid)): return ("tx", Hex.encode(txid))
        case .other(.output(let outpoint)): return ("output", outpoint.text)
        case .other(.request(let id)):
            guard let txid = state.request(id)?.txid, state.label(.transaction(txid)) == nil
            else { return nil }
            return ("tx", Hex.encode(txid))
        case .other(.sender): return nil
        }
    }
}

extension PublicMaterial {
    /// The extended public keys of the accounts; none of a wallet with a single key.
    fileprivate var extendedKeys: [ExtendedKey] {
        guard case .accounts(let accounts) = keys else { return [] }
        return accounts.flatMap(\.extendedKeys)
    }
}
