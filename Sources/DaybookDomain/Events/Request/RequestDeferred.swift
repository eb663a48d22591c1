package import DaybookEncoding

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
