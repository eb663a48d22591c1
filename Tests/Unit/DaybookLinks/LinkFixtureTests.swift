import DaybookDomain
import DaybookEncoding
import DaybookLinks
import Testing

struct LinkFixtureTests {
    @Test(arguments: LinkFixture.all)
    func `a link becomes what its line says`(_ line: LinkFixture) {
        switch Links.parse(line.text) {
        case .request(let request):
            #expect(request.described == line.accepts?.sorted)
        case .refused(let refusal, let caller, let reference):
            #expect(line.accepts == nil)
            #expect(refusal.code.rawValue == line.refuses?["refusal"]?.stringValue)
            #expect(refusal.parameter == line.refuses?["parameter"]?.stringValue)
            #expect(caller?.prefix == line.refuses?["caller"]?.stringValue)
            #expect(reference == line.refuses?["reference"]?.intValue)
        }
    }

    @Test(arguments: LinkFixture.all.filter { $0.refuses != nil })
    func `a refused link is answered as its line says`(_ line: LinkFixture) throws {
        guard case .refused(let refusal, let caller, let reference) = Links.parse(line.text) else {
            Issue.record("\(line.url) is accepted")
            return
        }
        let reader = Links.all.first { $0.canParse(line.text) }
        let code = reader?.code(of: refusal)
        #expect(code.map(Int64.init) == line.refuses?["code"]?.intValue ?? code.map(Int64.init))
        let callback = caller.flatMap {
            reader?.callback(.refused(refusal), to: $0, reference: reference, by: .ten)
        }
        #expect(callback == line.refuses?["callback"]?.stringValue)
    }

    @Test(arguments: LinkFixture.all.filter { $0.accepts != nil })
    func `an accepted link is answered as its line says`(_ line: LinkFixture) throws {
        guard case .request(let request) = Links.parse(line.text) else {
            Issue.record("\(line.url) is refused")
            return
        }
        let reader = try #require(Links.linkProtocol(request.link))
        for answer in line.answers + (line.then.map { [$0] } ?? []) {
            let reply = try #require(Reply(answer))
            if case .refused(let refusal) = reply, let code = answer["code"]?.intValue {
                #expect(reader.code(of: refusal).map(Int64.init) == code)
            }
            let caller = try #require(request.caller)
            let callback = reader.callback(
                reply, to: caller, reference: request.reference, by: .ten)
            #expect(callback == answer["callback"]?.stringValue)
        }
    }

    @Test func `every link of the survey of real wallets has its line`() {
        let numbers = ["dash", "axe", "iconex"].flatMap(LinkFixture.cases(of:)).map(\.number)
        #expect(numbers.count == 70)
        #expect(Set(numbers).count == 70)
        #expect(LinkFixture.all.allSatisfy { ($0.accepts == nil) != ($0.refuses == nil) })
    }
}

extension Reply {
    /// The reply that a fixture spells as `"reply": [kind, …]` or as a refusal.
    init?(_ json: JSON) {
        if let name = json["refusal"]?.stringValue {
            guard let code = Refusal.Code(rawValue: name) else { return nil }
            self = .refused(Refusal(code, parameter: json["parameter"]?.stringValue))
            return
        }
        let words = (json["reply"]?.arrayValue ?? []).compactMap(\.stringValue)
        switch (words.first, words.count) {
        case ("paid", 3): self = .paid(address: words[1], transaction: words[2])
        case ("proof", 2): self = .proof(transaction: Hex.decode(words[1]) ?? [])
        case ("address", 2): self = .address(words[1])
        case ("masterPublicKey", 4):
            self = .masterPublicKey(
                bip32: words[1], bip44: words[2], account: UInt32(words[3]) ?? .max)
        case ("bound", 2): self = .bound(address: words[1])
        case ("signature", 2): self = .signature(words[1])
        case ("transactionHash", 2): self = .transactionHash(words[1])
        default: return nil
        }
    }
}
