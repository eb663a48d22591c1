package import DaybookChains
package import DaybookEncoding

/// The subject of a label, but for wallets, whose label is a part of them (`wallet.renamed`).
package enum LabelSubject: Hashable, Sendable {
    /// An address of any chain and network.
    case address(String)
    /// A transaction, by its id or hash as displayed: 32 bytes.
    case transaction(Bytes)
    case output(Outpoint)
    case request(RequestID)
    /// A sender, by its unverified name in lower case.
    case sender(String)

    /// The longest name of a sender in bytes.
    package static let longestSender = 64

    /// The subject's only text, such as `tx:` and 64 digits.
    package var text: String {
        switch self {
        case .address(let address): "address:\(address)"
        case .transaction(let txid): "tx:\(Hex.encode(txid))"
        case .output(let outpoint): "output:\(outpoint.text)"
        case .request(let id): "request:\(id)"
        case .sender(let name): "sender:\(name)"
        }
    }

    /// The subject with this text; nil for any other text.
    package init?(_ text: String) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let rest = Text.utf8String(Bytes(parts[1])) else { return nil }
        let subject: LabelSubject? =
            switch String(decoding: parts[0], as: UTF8.self) {
            case "address": Self.isAddress(rest) ? .address(rest) : nil
            case "tx": Hex.decode(rest).flatMap { $0.count == 32 ? .transaction($0) : nil }
            case "output": Outpoint(text: rest).map { .output($0) }
            case "request": UInt64(rest).flatMap { RequestID(exactly: $0) }.map { .request($0) }
            case "sender": Self.isSender(rest) ? .sender(rest) : nil
            default: nil
            }
        // The decoders above take digits in several forms, of which one is the subject's.
        guard let subject, Text.equal(subject.text, text) else { return nil }
        self = subject
    }

    /// Whether a text is an address of some chain, on any network.
    package static func isAddress(_ text: String) -> Bool {
        ICONAddress(text) != nil
            || Chain.allCases.contains { UTXOAddress(text, chain: $0) != nil }
    }

    /// Whether a text can be a sender's name, which is in lower case.
    private static func isSender(_ name: String) -> Bool {
        (1...longestSender).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x21...0x7e).contains(byte)
                    && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            }
    }
}

extension LabelSubject: RecordedValue {
    package static var kind: String { String.kind }
    package static var expected: String { "a thing that has a label" }
    package var mostBytes: Int { text.mostBytes }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        guard let subject = LabelSubject(try reader.text()) else { throw .value }
        self = subject
    }

    package func write(to output: inout OutputSpan<UInt8>) { text.write(to: &output) }
}

extension DecimalNumber: RecordedValue {
    package static var kind: String { String.kind }
    package static var expected: String { "a decimal number" }
    package var mostBytes: Int { text.mostBytes }

    package init(_ reader: inout CBORReader) throws(Unexpected) {
        let text = try reader.text()
        guard let number = DecimalNumber(text), Text.equal(number.text, text) else { throw .value }
        self = number
    }

    package func write(to output: inout OutputSpan<UInt8>) { text.write(to: &output) }
}
