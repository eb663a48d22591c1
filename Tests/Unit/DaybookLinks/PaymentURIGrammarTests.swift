import DaybookDomain
import DaybookEncoding
import DaybookLinks
import Foundation
import Testing
import TestSupport

/// BIP 321's grammar (its section "ABNF grammar") as a generator: what it derives must be read.
struct PaymentURIGrammarTests {
    /// `tools/dev derive-links` sets how many.
    private static let count =
        ProcessInfo.processInfo.environment["DAYBOOK_DERIVATIONS"].flatMap { Int($0) } ?? 10_000

    @Test func `each derivation of the grammar is read, or refused by a rule with a name`() {
        var random = Seeded(321)
        for _ in 0..<Self.count {
            let uri = Derivation(&random)
            switch Links.parse(Bytes(uri.text.utf8)) {
            case .request(let request):
                #expect(uri.refusals.isEmpty, "\(uri.text) is accepted")
                #expect(request.notes == uri.notes, "\(uri.text)")
            case .refused(let refusal, _, _):
                #expect(uri.refusals.contains(refusal.code), "\(refusal) of \(uri.text)")
            }
        }
    }

    @Test(arguments: [
        " ", "\n", "\r\n", "\t \n", "\u{feff}", "\u{a0}", "\u{3000}", "\u{200b}\n",
    ])
    func `white space round a link is no part of it`(_ space: String) {
        for line in LinkFixture.all where line.text.count < 1000 {
            let reading = Links.parse(line.text)
            for (before, after) in [(space, ""), ("", space), (space, space)] {
                let text = before + line.url + after
                #expect(Links.parse(Bytes(text.utf8)) == reading, "\(line)")
                #expect(
                    Links.decider.link(parsing: Bytes(text.utf8))?.id
                        == Links.decider.link(parsing: line.text)?.id)
            }
        }
    }
}

/// A payment URI that the grammar derives, and what must become of it.
private struct Derivation {
    private(set) var text: String
    private(set) var notes: [Request.Note] = []
    /// The codes of which one must refuse it; none if it must be accepted.
    private(set) var refusals: Set<Refusal.Code> = []
    private var seen: Set<String> = []

    /// `bitcoinurn = "bitcoin:" [ bitcoinaddress ] [ "?" bitcoinparams ]`
    init(_ random: inout Seeded) {
        text = random.pick(["dash:", "DASH:", "Dash:"])
        if random.chance(97) {
            text += "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
        } else {
            refusals.insert(.invalidAddress)
        }
        guard random.chance(95) else { return }
        var label: String?
        var message: String?
        let parameters = (0...random.below(5)).map { _ in
            parameter(&random, &label, &message)
        }
        text += "?" + parameters.joined(separator: "&")
        notes += label.map { [Request.Note(name: "label", text: $0)] } ?? []
        notes += message.map { [Request.Note(name: "message", text: $0)] } ?? []
    }

    /// `bitcoinparam = [ amountparam / labelparam / messageparam / otherparam / reqparam ]`
    private mutating func parameter(
        _ random: inout Seeded, _ label: inout String?, _ message: inout String?
    ) -> String {
        switch random.below(6) {
        case 0: return ""
        case 1: return amount(&random)
        case 2: return note("label", &label, &random)
        case 3: return note("message", &message, &random)
        case 4:
            // No key that we know ends with a digit.
            let name = Self.characters(1 + random.below(5), &random).spelled + "7"
            return name + (random.chance(50) ? "=" + Self.characters(9, &random).spelled : "")
        default:
            guard random.chance(10) else { return "" }
            refusals.insert(.unknownRequiredKey)
            let start = random.pick(["req-", "REQ-", "r%65q-", "%72%65%71%2D"])
            return "\(start)\(Self.characters(random.below(4), &random).spelled)7"
                + (random.chance(50) ? "=1" : "")
        }
    }

    /// `amountparam = "amount=" *digit [ "." *digit ]`, and the same key without a value.
    private mutating func amount(_ random: inout Seeded) -> String {
        mark("amount")
        let name = random.pick(["amount", "AMOUNT", "Amount", "%61mount"])
        if random.chance(5) {
            refusals.insert(.invalidAmount)
            return name
        }
        let digits = { (random: inout Seeded, most: Int) in
            String((0..<random.below(most)).map { _ in Character("\(random.below(10))") })
        }
        var value = digits(&random, 10)
        if random.chance(60) { value += "." + digits(&random, 11) }
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        if value.filter(\.isNumber).isEmpty { refusals.insert(.invalidAmount) }
        let decimals = parts.count > 1 ? parts[1].count : 0
        if decimals > 8 { refusals.insert(.amountTooPrecise) }
        let fraction = (parts.count > 1 ? String(parts[1].prefix(8)) : "")
            .padding(toLength: 8, withPad: "0", startingAt: 0)
        let duffs = (UInt64(parts[0]) ?? 0) * 100_000_000 + (UInt64(fraction) ?? 0)
        if duffs > 2_100_000_000_000_000 { refusals.insert(.amountTooLarge) }
        if duffs > 0, duffs < 546 { refusals.insert(.dust) }
        return "\(name)=\(value)"
    }

    private mutating func note(
        _ key: String, _ note: inout String?, _ random: inout Seeded
    ) -> String {
        mark(key)
        let escaped = key.replacingOccurrences(of: "e", with: "%65")
        let name = random.pick([key, key.uppercased(), escaped])
        if random.chance(5) {
            note = ""
            return name
        }
        let value = Self.characters(random.below(12), &random)
        note = value.meant
        return "\(name)=\(value.spelled)"
    }

    private mutating func mark(_ key: String) {
        if !seen.insert(key).inserted { refusals.insert(.duplicateKey) }
    }

    /// `*qchar`: the characters of a query (RFC 3986, 3.4) without `=` and `&`.
    private static func characters(
        _ count: Int, _ random: inout Seeded
    ) -> (spelled: String, meant: String) {
        var (spelled, meant) = ("", "")
        for _ in 0..<count {
            if random.chance(70) {
                let character = random.pick(Array("abcXYZ019-._~!$'()*+,;:@/?"))
                spelled.append(character)
                meant.append(character)
            } else {
                let text = random.pick([
                    " ", "é", "日", "🜁", "\u{0}", "\r\n", "\u{202e}", "%", "&", "=", "#", "\u{7f}",
                ])
                for byte in text.utf8 {
                    let digits = String(byte, radix: 16)
                    spelled += "%" + (digits.utf8.count == 1 ? "0" : "")
                    spelled += random.chance(50) ? digits : digits.uppercased()
                }
                meant += text
            }
        }
        return (spelled, meant)
    }
}
