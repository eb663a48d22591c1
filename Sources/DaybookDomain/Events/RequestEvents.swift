package import DaybookEncoding

/// A link's text arrived, recorded as it came (secrets in it replaced by kind and length).
package struct RequestReceived: EventData {
    package static let type = "request.received"

    package let text: Bytes
    package let frontEnd: String
    /// The front end's own key: the same key with the same text is the same request.
    package let key: String?

    package init(text: Bytes, frontEnd: String, key: String?) {
        self.text = text
        self.frontEnd = frontEnd
        self.key = key
    }

    package var coded: CBOR {
        .record([
            "text": .bytes(text), "frontEnd": .text(frontEnd), "key": key.map(CBOR.text),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        text = try fields.bytes("text")
        frontEnd = try fields.text("frontEnd")
        key = try fields.optionalText("key")
    }
}

/// The request is understood, but what it asks can be judged only with the chain's answer.
package struct RequestDeferred: EventData {
    package static let type = "request.deferred"
    package let request: Request

    package init(request: Request) { self.request = request }

    package var coded: CBOR { .record(["request": request.coded]) }

    package init(_ fields: Fields) throws(FieldError) {
        request = try Request(try fields.fields("request"))
    }
}

/// The request waits for its user, who is to be shown `prompt`.
package struct RequestAccepted: EventData {
    package static let type = "request.accepted"

    package let request: Request
    package let prompt: Prompt
    /// SHA-256 of the prompt's bytes, to which a decision is bound.
    package let digest: Bytes
    /// When the request expires (µs).
    package let expires: UInt64

    package init(request: Request, prompt: Prompt, digest: Bytes, expires: UInt64) {
        self.request = request
        self.prompt = prompt
        self.digest = digest
        self.expires = expires
    }

    package var coded: CBOR {
        .record([
            "request": request.coded, "prompt": prompt.coded, "digest": .bytes(digest),
            "expires": .unsigned(expires),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        request = try Request(try fields.fields("request"))
        prompt = try Prompt(try fields.fields("prompt"))
        digest = try fields.bytes("digest")
        expires = try fields.number("expires")
    }
}

/// The request can't be answered; `protocolCode` is what its protocol calls the reason.
package struct RequestRefused: EventData {
    package static let type = "request.refused"

    package let refusal: Refusal
    package let protocolCode: Int64?
    /// The protocol that claimed the text; nil if none did.
    package let link: String?

    package init(refusal: Refusal, protocolCode: Int64?, link: String?) {
        self.refusal = refusal
        self.protocolCode = protocolCode
        self.link = link
    }

    package var coded: CBOR {
        .record([
            "code": .text(refusal.code.rawValue), "parameter": refusal.parameter.map(CBOR.text),
            "protocolCode": protocolCode.map(CBOR.int), "link": link.map(CBOR.text),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        refusal = try Refusal(fields)
        link = try fields.optionalText("link")
        protocolCode = try fields.optionalSigned("protocolCode")
    }
}

/// The same request was already pending (or just answered): `into` is the one that counts.
package struct RequestCoalesced: EventData {
    package static let type = "request.coalesced"
    package let into: UInt64

    package init(into: UInt64) { self.into = into }

    package var coded: CBOR { .record(["into": .unsigned(into)]) }

    package init(_ fields: Fields) throws(FieldError) { into = try fields.number("into") }
}

/// The user said no.
package struct RequestRejected: EventData {
    package static let type = "request.rejected"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}

/// Nobody decided in time.
package struct RequestExpired: EventData {
    package static let type = "request.expired"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}

extension Refusal {
    func coded(protocolCode: Int64?) -> CBOR {
        .record([
            "code": .text(code.rawValue), "parameter": parameter.map(CBOR.text),
            "protocolCode": protocolCode.map(CBOR.int),
        ])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(try fields.name("code"), parameter: try fields.optionalText("parameter"))
    }
}
