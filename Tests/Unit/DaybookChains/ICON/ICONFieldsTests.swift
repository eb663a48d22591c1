import DaybookChains
import DaybookEncoding
import Testing

struct ICONFieldsTests {
    private static let valid = """
        {"version":"0x3","from":"hx0502987e630ea7ebb2bf1d84a65a727109385bcf",\
        "to":"hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e","value":"0x1","stepLimit":"0x186a0",\
        "timestamp":"0x5850adcbaa178","nid":"0x3","nonce":"0x1"}
        """

    /// The valid params with one member replaced by a JSON text, or left out.
    private func params(_ key: String, _ value: String?) throws -> JSON {
        var members = try JSON.parse(Bytes(Self.valid.utf8)).objectValue ?? []
        members.removeAll { $0.name == key }
        if let value {
            members.append(JSON.Member(name: key, value: try JSON.parse(Bytes(value.utf8))))
        }
        return .object(members)
    }

    private func faults(_ key: String, _ value: String?) throws -> [String] {
        ICONFields.problems(in: try params(key, value), as: .unsigned).map(\.description)
    }

    @Test func `valid params have no fault`() throws {
        #expect(try faults("value", #""0x0""#) == [])
        #expect(try faults("value", nil) == [])
        #expect(try faults("nonce", nil) == [])
    }

    @Test(arguments: ["version", "from", "to", "stepLimit", "timestamp", "nid"])
    func `a required field that is absent or empty is missing`(key: String) throws {
        #expect(try faults(key, nil) == ["'\(key)' is missing"])
        #expect(try faults(key, #""""#) == ["'\(key)' is missing"])
        let error = try #require(ICONFields.problems(in: try params(key, nil), as: .unsigned).first)
        #expect(error.key == key)
        #expect(error.problem == .missing)
    }

    @Test(arguments: ["version", "value", "stepLimit", "timestamp", "nid", "nonce"])
    func `integers are canonical`(key: String) throws {
        for text in ["0x00", "10", "0xAB", "-0x1", "0x"] {
            #expect(try faults(key, "\"\(text)\"") == ["'\(key)' breaks the rule t_int"])
        }
    }

    @Test func `addresses have their kinds`() throws {
        let contract = #""cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32""#
        #expect(try faults("to", contract) == [])
        #expect(try faults("from", contract) == ["'from' breaks the rule t_addr_eoa"])
        #expect(try faults("to", #""hx123""#) == ["'to' breaks the rule t_addr"])
    }

    @Test func `numbers, null and unknown fields come alone`() throws {
        #expect(try faults("value", "1") == ["'value' is not text"])
        #expect(try faults("value", "null") == ["'value' is not text"])
        #expect(try faults("memo", #""0x1""#) == ["'memo' is not a transaction's field"])
        let signature = try faults("signature", #""AAAA""#)
        #expect(signature == ["'signature' is not a transaction's field"])
    }

    @Test func `the node's other form wants no step limit`() throws {
        let params = try params("stepLimit", nil)
        #expect(ICONFields.problems(in: params, as: .estimate) == [])
        let all = try self.params("nonce", nil)
        #expect(ICONFields.problems(in: all, as: .estimate).map(\.problem) == [.unknown])
        #expect(ICONFields.problems(in: all, as: .signed).map(\.description)
            == ["'signature' is missing"])
    }

    @Test(arguments: [
        (#""message""#, #""0x686""#, []),
        (#""message""#, #""0x""#, ["'data' breaks the rule data"]),
        (#""message""#, #""hello""#, ["'data' breaks the rule data"]),
        (#""message""#, #""0x68656C""#, ["'data' breaks the rule data"]),
        (#""memo""#, #""0x00""#, ["'dataType' breaks the rule call|deploy|message|deposit"]),
        (#""call""#, #"{"method":"hello"}"#, []),
        (#""call""#, #"{}"#, ["'Data' breaks the rule data.method"]),
        (#""call""#, #""0x00""#, ["'data' breaks the rule data"]),
        (
            #""call""#, #"{"method":"m","params":{"a":null,"b":["x",1]}}"#,
            [
                "'Data.params.a' breaks the rule data.params",
                "'Data.params.b[1]' breaks the rule data.params",
            ]
        ),
        (#""call""#, #"{"method":"m","params":[]}"#, ["'data' breaks the rule data.params"]),
        (#""deposit""#, #"{"action":"withdraw","amount":"0x1"}"#, []),
        (#""deposit""#, #"{"action":"take"}"#, ["'data' breaks the rule data.action"]),
        (#""deploy""#, #"{"contentType":"application/zip","content":"0x50"}"#, []),
        (#""deploy""#, #"{"content":"0x50"}"#, ["'data' breaks the rule data.contentType"]),
    ]) func `data fits its type`(type: String, data: String, expected: [String]) throws {
        var params = try params("dataType", type)
        if case .object(let members) = params {
            let value = try JSON.parse(Bytes(data.utf8))
            params = .object(members + [JSON.Member(name: "data", value: value)])
        }
        let problems = ICONFields.problems(in: params, as: .unsigned)
        #expect(problems.map(\.description) == expected)
    }

    @Test func `a transaction's version is 3 and its small numbers fit`() throws {
        for (key, text) in [("version", "0x2"), ("timestamp", "0x8000000000000000")] {
            let params = try params(key, "\"\(text)\"")
            let error = #expect(throws: ICONFieldError.self) { try ICONTransaction(params: params) }
            #expect(error?.description == "'\(key)' breaks the rule t_int")
        }
    }

    @Test func `an error repeats at most 64 characters of its input`() throws {
        let key = String(repeating: "k", count: 1000)
        let error = try #require(
            ICONFields.problems(in: try params(key, "1"), as: .unsigned).first)
        #expect(error.key.count == 64)
        #expect(error.path.count == 64)
    }
}
