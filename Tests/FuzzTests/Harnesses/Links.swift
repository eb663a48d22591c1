import DaybookDomain
import DaybookEncoding
import DaybookLinks
import LinkPrinter

extension Harness {
    /// Links of every protocol, and what is recorded, answered and shown of them.
    static let links = Harness(
        "links", longest: 1024,
        words: [
            "dashwallet://pay=", "axewallet://request=", "masterPublicKey", "address",
            "&account=", "&amount=", "&sender=", "dash:", "axe:", "?amount=", "&IS=1", "req-",
            "&label=", "&message=", "iconex://", "bind", "JSON-RPC", "sendICX", "sendToken",
            "?data=", "&caller=", "&callback=", "%3D", "%00", "0x", "hx", "cx", "://",
        ]
    ) { text in
        let reading = Links.read(text)
        try law("what is recorded reads as what came", Links.read(Links.recorded(text)) == reading)
        try law("one protocol claims a text", Links.all.count { $0.claims(text) } <= 1)
        let reader = Links.all.first { $0.claims(text) }
        switch reading {
        case .request(let request):
            try law("the protocol that claims it reads it", request.link == reader?.id)
            try law("a link is visible ASCII", text.allSatisfy { $0 > 0x20 && $0 < 0x7f })
            try check(request.caller)
            try checkCoding(request)
            guard let printed = RequestPrinter.print(request) else {
                throw BrokenLaw(description: "every request can be printed")
            }
            guard printed.utf8.count <= Links.maximumLength else { return }
            let again = Links.read(Bytes(printed.utf8))
            try law("\(printed) reads as what was printed", again == reading)
        case .refused(let refusal, let caller, let reference):
            try check(caller)
            guard let caller, let reader else { return }
            let url = reader.callback(.refused(refusal), to: caller, reference: reference) ?? ""
            try law("a callback is visible ASCII", url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
        }
    }

    private static func check(_ caller: Caller?) throws {
        guard let caller else { return }
        try law("a caller's scheme is one that may call", Caller(sender: caller.scheme) != nil)
        try law("a caller's prefix is its own", Caller(returnAddress: caller.prefix) == caller)
    }

    private static func checkCoding(_ request: Request) throws {
        let coded = request.coded.encoded()
        let read = try Request(Fields(try EncodedCBOR(coded)))
        try law("a request is recorded without loss", read == request)
    }
}
