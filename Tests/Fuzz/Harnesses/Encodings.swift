import DaybookCrypto
import DaybookEncoding

extension Harness {
    /// The log's values.
    static let cbor = Harness("cbor", longest: 512) { bytes in
        guard let encoded = try? EncodedCBOR(bytes) else { return }
        let value = encoded.value
        try law("a value has one spelling", value.encoded() == bytes)
        try checkParts(of: encoded, value)
        try law("nothing follows a value", (try? CBOR.decode(bytes + [0])) == nil)
        try law("no value begins another", (try? CBOR.decode(bytes.dropLast())) == nil)
        let text = Bytes(value.json.text().utf8)
        let twin = try CBOR.from(try JSON.parse(text, maximumDepth: 64))
        try law("JSON holds a value without loss", twin.encoded() == bytes)
    }

    /// A value that is read in its bytes equals that of the tree made of them.
    private static func checkParts(of encoded: EncodedCBOR, _ value: CBOR) throws {
        try law("a part has its own spelling", encoded.bytes == value.encoded())
        try law("an integer is read", encoded.uintValue == value.uintValue)
        try law("an integer of either sign is read", encoded.intValue == value.intValue)
        try law("a text is read", encoded.textValue == value.textValue)
        try law("bytes are read", encoded.bytesValue == value.bytesValue)
        try law("a truth value is read", encoded.boolValue == value.boolValue)
        try law("a map is one", encoded.isMap == (value.mapValue != nil))
        let items = encoded.arrayValue
        try law("an array has its items", items?.count == value.arrayValue?.count)
        for (item, value) in zip(items ?? [], value.arrayValue ?? []) {
            try checkParts(of: item, value)
        }
        for entry in value.mapValue ?? [] {
            guard let name = entry.key.textValue else { continue }
            let found = encoded[name]
            try law("what a map holds is found", found?.bytes == entry.value.encoded())
            if let found { try checkParts(of: found, entry.value) }
        }
    }

    /// JSON of strangers, and the values that it stands for.
    static let json = Harness(
        "json", longest: 512,
        words: ["\"$hex\"", "\"$map\"", "\\u00", "\\ud83d\\ude00", "null", "true", "false", "1e-9"]
    ) { bytes in
        guard let json = try? JSON.parse(bytes) else { return }
        let text = Bytes(json.text().utf8)
        let again = try JSON.parse(text)
        try law("what is written is read again", again == json)
        try law("a value is written in one way", Bytes(again.text().utf8) == text)
        try law("spaces say nothing", try JSON.parse(Bytes(json.text(pretty: true).utf8)) == json)
        try law("nothing follows a document", (try? JSON.parse(bytes + [0x30, 0x22])) == nil)
        guard let value = try? CBOR.from(json) else { return }
        try law("a value is recorded without loss", try CBOR.decode(value.encoded()) == value)
        try law("its JSON stands for the same", try CBOR.from(value.json) == value)
    }

    /// Bytes as text: of the first byte depends in which alphabet.
    static let codecs = Harness("codecs", longest: 256) { bytes in
        guard let first = bytes.first, let text = Text.utf8String(Bytes(bytes.dropFirst())) else {
            return try checkEncoding(bytes)
        }
        switch first % 5 {
        case 0:
            guard let decoded = Base58.decode(text) else { return }
            try law("base58 has one spelling", Text.equal(Base58.encode(decoded), text))
        case 1:
            guard let decoded = Base58Check.decode(text) else { return }
            try law("base58check has one", Text.equal(Base58Check.encode(decoded), text))
        case 2:
            guard let decoded = Base64.decode(text) else { return }
            try law("base64 has one spelling", Text.equal(Base64.encode(decoded), text))
        case 3:
            guard let decoded = Hex.decode(text) else { return }
            try law("hex has one spelling", Text.equal(Hex.encode(decoded), text.lowercased()))
        default:
            let escaped = Text.escaped(text)
            try law("what is escaped is visible", Text.equal(Text.onOneLine(escaped), escaped))
            let coded = text.utf8.map { "%" + Hex.encode([$0]) }.joined()
            let decoded = Text.percentDecode(Bytes(coded.utf8))
            try law("escapes say what was escaped", decoded == Bytes(text.utf8))
            guard let plain = Text.percentDecode(Bytes(text.utf8)) else { return }
            try law("decoding makes nothing longer", plain.count <= text.utf8.count)
        }
    }

    private static func checkEncoding(_ bytes: Bytes) throws {
        try law("base64 comes back", Base64.decode(Base64.encode(bytes)) == bytes)
        try law("hex comes back", Hex.decode(Hex.encode(bytes)) == bytes)
        let base58 = Base58.decode(Base58.encode(bytes), maximumLength: 512)
        try law("base58 comes back", base58 == bytes)
        try law("its digits are checked", Base58Check.decode(Base58.encode(bytes + [0])) == nil)
    }

    /// Amounts: texts, and two numbers of 32 bytes to reckon with.
    static let numbers = Harness(
        "numbers", longest: 96,
        words: ["115792089237316195423570985008687907853269984665640564039457584007913129639935"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let number = UInt256(decimal: text) {
            try law("a number is its digits", number.decimal == trimmed(text))
        }
        if let number = UInt256(hex: text) {
            try law("a number is its hex digits", number.hex == trimmed(text.lowercased()))
        }
        for decimals in [0, 8, 18] {
            guard let amount = DecimalAmount.parse(text, decimals: decimals) else { continue }
            let shown = DecimalAmount.format(amount, decimals: decimals)
            let again = DecimalAmount.parse(shown, decimals: decimals)
            try law("an amount is shown as it is", again == amount)
        }
        guard bytes.count >= 64, let left = UInt256(bigEndian: Bytes(bytes[..<32])),
            let right = UInt256(bigEndian: Bytes(bytes[32..<64]))
        else { return }
        try reckon(left, right)
    }

    private static func reckon(_ left: UInt256, _ right: UInt256) throws {
        try law("bytes come back", UInt256(bigEndian: left.bigEndianBytes) == left)
        try law("digits come back", UInt256(decimal: left.decimal) == left)
        try law("hex digits come back", UInt256(hex: left.hex) == left)
        if let sum = left.adding(right) {
            try law("what is added can be taken away", sum.subtracting(right) == left)
            try law("a sum is no less", sum >= left && sum >= right)
        } else {
            try law("no difference where the sum has none", UInt256.zero.subtracting(left) == nil)
        }
        try law("one of two differences is there", left.subtracting(right) != nil || left < right)
        guard let divisor = UInt64(exactly: right) ?? right.bigEndianBytes.last.map(UInt64.init),
            divisor != 0
        else { return }
        let (quotient, remainder) = left.quotientAndRemainder(dividingBy: divisor)
        let back = quotient.multiplied(by: divisor)?.adding(UInt256(remainder))
        try law("what is divided can be multiplied", back == left && remainder < divisor)
        guard let product = left.multiplied(by: right) else { return }
        try law("factors change places", right.multiplied(by: left) == product)
        if right != .zero { try law("a product is no less", product >= left) }
    }

    /// Digits without the zeros before them.
    private static func trimmed(_ digits: String) -> String {
        let rest = String(digits.drop { $0 == "0" })
        return rest.isEmpty ? "0" : rest
    }
}
