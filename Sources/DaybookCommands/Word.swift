/// A word of a command line: the bytes as they came, and the text that they are.
///
/// The text of bytes that are not UTF-8 has U+FFFD in their place.
struct Word: Equatable {
    let bytes: [UInt8]
    let text: String

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        text = String(decoding: bytes, as: UTF8.self)
    }
}
