package import DaybookEncoding

/// What the node said to the signed transaction.
package struct BroadcastAnswered: EventData {
    package static let type = "broadcast.answered"

    package let answer: Answer
    /// The node's code and text when it refused; for unknown, one of our own words.
    package let code: Int64?
    package let message: String?
    /// What the refusal comes to where a front end has a word for it; nil: the node refused.
    package let refusal: Refusal.Code?

    /// What an answer comes to.
    package enum Answer: String, Sendable { case accepted, refused, unknown }

    package init(
        answer: Answer, code: Int64? = nil, message: String? = nil, refusal: Refusal.Code? = nil
    ) {
        self.answer = answer
        self.code = code
        self.message = message
        self.refusal = refusal
    }

    package var coded: CBOR {
        .record([
            "answer": .text(answer.rawValue), "code": code.map(CBOR.int),
            "message": message.map(CBOR.text),
            "refusal": refusal.map { .text($0.rawValue) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        answer = try fields.name("answer")
        code = try fields.optionalSigned("code")
        message = try fields.optionalText("message")
        refusal = try fields.optionalName("refusal")
    }
}
