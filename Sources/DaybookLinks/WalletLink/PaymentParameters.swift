import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The terms of a payment, which wallet links and payment URIs spell alike.
struct PaymentParameters {
    /// In duffs; nil when the user is to enter it.
    let amount: UInt64?
    let instantSend: Action.InstantSend

    /// The keys that both kinds of link act on.
    static let keys: [LinkKey] = [.amount, .instantSend, .sender, .message]

    init(_ parameters: LinkParameters) throws(Refusal) {
        // BIP 72 asks a server before the user: no link may make the wallet call one.
        guard parameters[.paymentProtocol] == nil else {
            throw Refusal(.paymentProtocolUnsupported, parameter: "r")
        }
        amount = try Self.amount(parameters[.amount])
        instantSend = try Self.instantSend(parameters)
    }

    private static func amount(_ text: String?) throws(Refusal) -> UInt64? {
        guard let text else { return nil }
        guard isDecimal(text.utf8) else { throw Refusal(.invalidAmount, parameter: "amount") }
        let decimals = text.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst().count
        guard decimals <= Duffs.decimals else {
            throw Refusal(.amountTooPrecise, parameter: "amount")
        }
        var duffs: UInt64 = 0
        for digit in text.utf8 where digit != UInt8(ascii: ".") {
            duffs = append(digit - UInt8(ascii: "0"), to: duffs)
        }
        for _ in decimals..<Duffs.decimals { duffs = append(0, to: duffs) }
        guard duffs <= Duffs.maximum else { throw Refusal(.amountTooLarge, parameter: "amount") }
        guard duffs > 0 else { return nil }
        guard duffs >= dustLimit else { throw Refusal(.dust, parameter: "amount") }
        return duffs
    }

    /// The number with one more digit; a number above the maximum stays as it is.
    ///
    /// Ten times the maximum fits into 64 bits.
    private static func append(_ digit: UInt8, to duffs: UInt64) -> UInt64 {
        duffs > Duffs.maximum ? duffs : duffs * 10 + UInt64(digit)
    }

    /// Digits with at most one point among them, and at least one digit (BIP 21).
    private static func isDecimal(_ text: String.UTF8View) -> Bool {
        var points = 0
        for character in text {
            switch character {
            case UInt8(ascii: "."): points += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"): continue
            default: return false
            }
        }
        return points <= 1 && text.count > points
    }

    private static func instantSend(
        _ parameters: LinkParameters
    ) throws(Refusal) -> Action.InstantSend {
        switch parameters[.instantSend] {
        case nil, "0": .unspecified
        case "1": parameters.isRequired(.instantSend) ? .required : .preferred
        default: throw Refusal(.invalidParameter, parameter: "IS")
        }
    }

    /// Nodes relay no smaller output of the common kind: 3 duffs for each of 34 + 148 bytes.
    private static let dustLimit: UInt64 = 546
}
