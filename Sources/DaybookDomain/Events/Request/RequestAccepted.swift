package import DaybookEncoding

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
