import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookLinks

struct ConnectDataTests {
    private static let invalid: [(ICONDataType, String, String)] = [
        (.message, #""hello""#, "a message is 0x"), (.message, #""0x""#, "a message is 0x"),
        (.message, #""0xABCD""#, "a message is 0x"), (.message, #""0xabc""#, "a message is 0x"),
        (.message, "{}", "a message is 0x"), (.call, #""0x12""#, "it is no object"),
        (.call, "null", "it is no object"), (.call, "{}", "a call names its method"),
        (.call, #"{"method":""}"#, "a call names its method"),
        (.call, #"{"method":null}"#, "a call names its method"),
        (.call, #"{"method":"m","a":"b"}"#, "it has members other than method, params"),
        (.call, #"{"method":"m","params":null}"#, "params is no object"),
        (.call, #"{"method":"m","params":[]}"#, "params is no object"),
        (.call, #"{"method":"m","params":{"_data":null}}"#, "a value in params is null"),
        (.call, #"{"method":"m","params":{"a":[["",null]]}}"#, "a value in params is null"),
        (.call, #"{"method":"m","params":{"a":{"b":true}}}"#, "a value in params is true or"),
        (.call, #"{"method":"m","params":{"a":[1]}}"#, "a value in params is a number"),
        (.call, #"{"method":"m","params":{"a":"\u0000"}}"#, "a text in params has U+0000"),
        (.call, #"{"method":"m","params":{"\u0000":"a"}}"#, "a text in params has U+0000"),
        (.deploy, #"{"contentType":"text/plain"}"#, "contentType is application/zip"),
        (.deploy, #"{"contentType":"application/zip"}"#, "content is 0x"),
        (.deposit, "{}", "a deposit is not supported"),
    ]

    @Test(arguments: invalid)
    func `the fault of data is named`(
        type: ICONDataType, text: String, start: String
    ) throws {
        let fault = ConnectData.fault(of: try JSON.parse(Bytes(text.utf8)), type)
        #expect(fault?.hasPrefix(start) == true, "\(fault ?? "")")
    }

    @Test(arguments: [
        #"{"method":"m"}"#, #"{"method":"m","params":{}}"#, #"{"method":"m","params":{"a":[""]}}"#,
        #"{"method":"m","params":{"a":["","x"],"b":[],"c":{"d":""}}}"#,
    ])
    func `empty texts and lists are parameters`(text: String) throws {
        #expect(ConnectData.fault(of: try JSON.parse(Bytes(text.utf8)), .call) == nil)
    }
}
