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
            "?data=", "&caller=", "&callback=", "%3D", "%00", "0x", "hx", "cx", "://", "&pop=",
            "&req-pop=", "%3A", "%3F",
        ]
    ) { text in
        let reading = Links.parse(text)
        try law("what is recorded reads as what came", Links.parse(Links.recorded(text)) == reading)
        try law("one protocol claims a text", Links.all.count { $0.canParse(text) } <= 1)
        let reader = Links.all.first { $0.canParse(text) }
        switch reading {
        case .request(let request):
            try law("the protocol that claims it reads it", request.link == reader?.id)
            try law("a link is visible ASCII", text.allSatisfy { $0 > 0x20 && $0 < 0x7f })
            try check(request.caller, getsProof: request.sendsProof(spending: 1))
            try checkCoding(request)
            guard let printed = RequestPrinter.print(request) else {
                throw BrokenLaw(description: "every request can be printed")
            }
            guard printed.utf8.count <= Links.maximumLength else { return }
            let again = Links.parse(Bytes(printed.utf8))
            try law("\(printed) reads as what was printed", again == reading)
        case .refused(let refusal, let caller, let reference):
            try check(caller, getsProof: false)
            guard let caller, let reader else { return }
            let rules = Engines.known.current
            let url = reader.callback(
                .refused(refusal), to: caller, reference: reference, by: rules) ?? ""
            try law("a callback is visible ASCII", url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
        }
    }

    private static func check(_ caller: Caller?, getsProof: Bool) throws {
        guard let caller else { return }
        try law("a caller's scheme is one that may call", Caller(sender: caller.scheme) != nil)
        if getsProof {
            try law("a proof's prefix is its own", Caller(proofPrefix: caller.prefix) == caller)
            let url = caller.prefix + "onchain=00"
            try law("a proof may be opened", Caller(callback: url)?.scheme == caller.scheme)
        } else {
            try law("a caller's prefix is its own", Caller(returnAddress: caller.prefix) == caller)
        }
    }

    private static func checkCoding(_ request: Request) throws {
        let coded = request.encoded()
        let read = try Request(try EncodedCBOR(coded))
        try law("a request is recorded without loss", read == request)
    }
}
