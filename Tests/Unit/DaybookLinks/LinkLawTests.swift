import DaybookDomain
import DaybookEncoding
import DaybookLinks
import LinkPrinter
import Testing
import TestSupport

/// Laws for every protocol and every text.
struct LinkLawTests {
    @Test(arguments: LinkFixture.all.filter { $0.accepts != nil })
    func `a request that is printed and read again is the same request`(
        _ line: LinkFixture
    ) throws {
        guard case .request(let request) = Links.parse(line.text) else { return }
        let printed = try #require(RequestPrinter.print(request))
        #expect(Links.parse(Bytes(printed.utf8)) == .request(request))
    }

    @Test func `a wallet's own link knows no proof of payment`() {
        let start = "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&sender=shop"
        let plain = Links.parse(Bytes(start.utf8))
        #expect(Links.parse(Bytes("\(start)&pop=app%3A".utf8)) == plain)
        #expect(
            Links.parse(Bytes("\(start)&req-pop=app%3A".utf8))
                == .refused(
                    Refusal(.unknownRequiredKey, parameter: "req-pop"), caller: nil,
                    reference: nil))
    }

    @Test func `a text is claimed by one protocol at most, and that one has a name of its own`() {
        for line in LinkFixture.all {
            #expect(Links.all.filter { $0.canParse(line.text) }.count <= 1)
        }
        #expect(
            Links.all.map(\.id) == ["dashwallet", "axewallet", "dash", "axe", "iconex-2", "iconex"])
        #expect(Set(Links.all.map(\.family)) == ["dash", "axe", "iconex"])
        for reader in Links.all { #expect(Links.linkProtocol(reader.id)?.id == reader.id) }
        #expect(Links.linkProtocol("bitcoin") == nil)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `a changed link is read to its end and answered safely`(_ seed: UInt64) {
        var random = Seeded(seed)
        for line in LinkFixture.all {
            for _ in 0..<5 {
                let text = Mutation.mutate(line.text, &random)
                check(text)
            }
        }
        for _ in 0..<200 {
            check((0..<random.below(300)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        }
    }

    private func check(_ text: Bytes) {
        let reading = Links.parse(text)
        #expect(Links.parse(Links.recorded(text)) == reading)
        for reader in Links.all {
            guard case .request(let request) = reader.parse(text, by: .ten), reader.canParse(text)
            else { continue }
            #expect(request.link == reader.id)
        }
        switch reading {
        case .request(let request):
            #expect(Text.trimmed(text).allSatisfy { $0 > 0x20 && $0 < 0x7f })
            expectSafe(request.caller, getsProof: request.sendsProof(spending: 1))
        case .refused(let refusal, let caller, let reference):
            expectSafe(caller, getsProof: false)
            guard let caller, let reader = Links.all.first(where: { $0.canParse(text) }) else {
                return
            }
            let callback = reader.callback(
                .refused(refusal), to: caller, reference: reference, by: .ten)
            #expect(callback?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } ?? true)
        }
    }

    private func expectSafe(_ caller: Caller?, getsProof: Bool) {
        guard let caller else { return }
        #expect(Caller(sender: caller.scheme) != nil)
        if getsProof {
            #expect(Caller(proofPrefix: caller.prefix) == caller)
            #expect(Caller(callback: caller.prefix + "onchain=00")?.scheme == caller.scheme)
        } else {
            #expect(Caller(returnAddress: caller.prefix) == caller)
        }
    }
}

/// Changes a text as a careless or malicious author would.
enum Mutation {
    private static let fragments = [
        "%00", "%0A", "%E2%80%AE", "%FF", "%", "%2", "=", "&", "?", "#", "@", ":", "/", "//", "+",
        "req-", "&sender=http", "&amount=1e9", "&IS=1", "&caller=tel:", "&data=e30=", "\u{0}", "é",
        "-1", "0x", "[wif:52]", "\\u0000", "iconex://", "dash:", " ", "&message=%0Ax",
        "&message=%00", "&message=%1B%5B0m", "&label=%0D", "&pop=app%3A", "&req-pop=app%3Ax%3F",
    ].map { Bytes($0.utf8) }

    static func mutate(_ text: Bytes, _ random: inout Seeded) -> Bytes {
        var text = text
        for _ in 0...random.below(2) {
            let index = random.below(text.count + 1)
            switch random.below(7) {
            case 0 where index < text.count: text[index] = UInt8(truncatingIfNeeded: random.next())
            case 1 where index < text.count: text[index] ^= 1 << random.below(8)
            case 2 where index < text.count: text.remove(at: index)
            case 3: text.removeSubrange(index...)
            case 4: text.insert(contentsOf: text[..<index], at: index)
            case 5: text += fragments[random.below(fragments.count)]
            default: text.insert(contentsOf: fragments[random.below(fragments.count)], at: index)
            }
        }
        return text
    }
}
