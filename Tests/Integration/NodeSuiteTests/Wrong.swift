import DaybookChains
import DaybookEncoding
import DaybookNodes
import NodeServer
import Testing

/// Something that a node does wrong, and what a client must call it.
struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let misbehaviour: Misbehaviour
    /// Nil where it is harmless.
    let reason: ChainFailure.Reason?
    let limits: HTTPLimits

    private init(
        _ name: String, _ misbehaviour: Misbehaviour, _ reason: ChainFailure.Reason?,
        within milliseconds: Int = 30_000
    ) {
        testDescription = name
        self.misbehaviour = misbehaviour
        self.reason = reason
        limits = HTTPLimits(totalMilliseconds: milliseconds, answerBytes: 1 << 20)
    }

    /// Faults between a client and a node, for any question.
    static let onTheWay = [
        Wrong("wrong password", .wrongPassword, .wrongPassword),
        Wrong("forbidden", .forbidden, .wrongPassword),
        Wrong("nothing at the path", .notFound, .wrongPath),
        Wrong("too busy", .busy, .busy),
        Wrong("warming up", .warmUp, .warmingUp),
        Wrong("a page for people", .html(), .wrongPath),
        Wrong("a gateway's page", .html(502), .noAnswer),
        Wrong("sent elsewhere", .redirect(), .redirect),
        Wrong("unknown call", .error(code: -32601, message: "Method not found"), .unknownCall),
        Wrong("no JSON", .text("{\"result\":"), .invalidAnswer),
        Wrong("nothing in the body", .text(""), .invalidAnswer),
        Wrong("another kind of JSON", .text("[1,2,3]"), .invalidAnswer),
        Wrong("JSON of a hundred thousand levels", .deep(), .invalidAnswer),
        Wrong("another's answer", .otherID, .invalidAnswer),
        Wrong("half an answer", .half, .noAnswer),
        Wrong("a closed connection", .closes, .noAnswer),
        Wrong("a lost answer", .losesAnswer, .noAnswer),
        Wrong("silence", .silent, .noAnswer, within: 300),
        Wrong("a byte now and then", .slow(milliseconds: 50), .noAnswer, within: 300),
        Wrong("an answer too long", .long(bytes: 1 << 30), .tooLong),
        Wrong("an answer without end", .long(bytes: nil), .tooLong),
        Wrong("a connection closed afterwards", .closesIdle, nil),
        Wrong("a connection closed in between", .closesReused, nil),
    ]

    /// Falsehoods in answers that are whole.
    static let lies = [
        Wrong("null", .result(.null), .invalidAnswer),
        Wrong("an object", .result(.object([])), .invalidAnswer),
        Wrong("a list", .result(.array([])), .invalidAnswer),
        Wrong("a list of nothing", .result(.array([.null, .null])), .invalidAnswer),
        Wrong("a text", .result(.string("x")), .invalidAnswer),
        Wrong("a negative number", .result(.number("-1")), .invalidAnswer),
        Wrong("a number beyond all", .result(.number("1e999")), .invalidAnswer),
        Wrong("numbers as texts", .numbersAsStrings, .invalidAnswer),
        Wrong("texts as numbers", .stringsAsNumbers, .invalidAnswer),
        Wrong("a duff too much", .amounts(offBy: 1), .invalidAnswer),
        Wrong("a negative amount", .amounts(offBy: -1_000_000_000), .invalidAnswer),
        Wrong("a block too high", .heights(offBy: 1), .invalidAnswer),
        Wrong("a height below zero", .heights(offBy: -1_000_000), .invalidAnswer),
        Wrong("another's script", .scripts([0x51]), .invalidAnswer),
        Wrong("another transaction", .txids(.zero), .invalidAnswer),
    ]
}

extension RPCRetryPolicy {
    /// Asks once.
    static let none = RPCRetryPolicy(pauses: [], sleep: { _ in })
}
