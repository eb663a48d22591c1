import DaybookEncoding

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
