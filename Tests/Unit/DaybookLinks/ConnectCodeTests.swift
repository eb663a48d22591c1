import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookLinks

struct ConnectCodeTests {
    private let caller = Caller(scheme: "my-app-scheme", prefix: "my-app-scheme://")

    private static let texts: [(Refusal, Int, String)] = [
        (Refusal(.rejectedByUser), -1000, "Operation canceled by user."),
        (Refusal(.expired), -1000, "Operation canceled by user."),
        (Refusal(.undecodable, parameter: "json"), -1001, "Parse error (Invalid JSON type)"),
        (Refusal(.invalidRequest, parameter: "id"), -1002, "Invalid request."),
        (Refusal(.unknownMethod, parameter: "method"), -1003, "Invalid method"),
        (Refusal(.missingCaller), -1004, "Not found caller."),
        (Refusal(.noWallet), -2001, "ICONex has no ICX wallet."),
        (Refusal(.missingParameter, parameter: "to"), -2002, "Not found parameter. ('to')"),
        (
            Refusal(.walletNotFound, parameter: "hx12"), -3001,
            "Could not find matched wallet. ('hx12')"
        ),
        (Refusal(.sameAddress), -3002, "Sending and receiving address are same."),
        (Refusal(.insufficientBalance), -3003, "Insufficient balance."),
        (Refusal(.insufficientFee), -3004, "Insufficient balance for fee."),
        (Refusal(.invalidParameter, parameter: "nid"), -3005, "Invalid parameter. ('nid')"),
        (
            Refusal(.invalidParameter, parameter: "data: it is no object"), -3005,
            "Invalid parameter. ('data')"
        ),
        (Refusal(.signingFailed), -4001, "Failed to sign."),
        (
            Refusal(.chainUnavailable), -9999,
            "Somethings wrong with network (the chain's node gave no usable answer)"
        ),
    ]

    @Test(arguments: texts)
    func `a refusal has its code and text`(_ refusal: Refusal, _ code: Int, _ text: String) {
        #expect(Connect().code(of: refusal) == code)
        #expect(ConnectCode(refusal)?.text(for: refusal, by: .ten) == text)
        let sent = callback(Connect(), .refused(refusal), 1234)
        let answer = #"{"id":1234,"code":\#(code),"result":"\#(text)"}"#
        let data = Base64.encode(Bytes(answer.utf8)).replacing("=", with: "%3D")
        #expect(sent == (code == -1004 ? nil : "my-app-scheme://?data=\(data)"))
    }

    @Test func `there are fourteen codes and each has a refusal`() {
        #expect(ConnectCode.allCases.count == 14)
        let reached = Refusal.Code.allCases.compactMap { ConnectCode(Refusal($0)) }
        #expect(Set(reached) == Set(ConnectCode.allCases))
    }

    @Test func `the documents' answers come out character for character`() {
        let bound = "hxbe258ceb872e08851f1f59694dac2558708ece11"
        #expect(
            callback(Connect(), .bound(address: bound), 1234)
                == "my-app-scheme://?data=eyJpZCI6MTIzNCwiY29kZSI6MSwicmVzdWx0IjoiaHhiZTI1OGNlYjg3M"
                + "mUwODg1MWYxZjU5Njk0ZGFjMjU1ODcwOGVjZTExIn0%3D")
        #expect(
            callback(Connect(), .refused(Refusal(.rejectedByUser)), 1234)
                == "my-app-scheme://?data=eyJpZCI6MTIzNCwiY29kZSI6LTEwMDAsInJlc3VsdCI6Ik9wZXJhdGlv"
                + "biBjYW5jZWxlZCBieSB1c2VyLiJ9")
    }

    @Test func `a protocol sends no answer that it has no form for`() {
        let paid = Reply.paid(address: "X", transaction: "00")
        #expect(callback(Connect(), paid, 1) == nil)
        #expect(callback(ConnectJSONRPC(), .signature("x")) == nil)
        #expect(callback(PaymentURI.dash, .address("X")) == nil)
        #expect(callback(WalletLink.axe, .bound(address: "hx")) == nil)
        let no = Reply.refused(Refusal(.rejectedByUser))
        #expect(callback(WalletLink.dash, no) == nil)
        #expect(callback(PaymentURI.axe, no) == nil)
        #expect(WalletLink.dash.code(of: Refusal(.rejectedByUser)) == nil)
    }

    private func callback(
        _ link: some LinkProtocol, _ reply: Reply, _ reference: Int64? = nil
    ) -> String? {
        link.callback(reply, to: caller, reference: reference, by: .ten)
    }
}
