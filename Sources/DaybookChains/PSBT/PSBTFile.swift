import DaybookEncoding

/// The wrappings in which nodes, mail and editors hand on a PSBT.
///
/// It is read in binary, in base64 and in hexadecimal digits, both with line breaks wherever they
/// stand, in quotes, or as the member `psbt` of a node's answer; also with a byte order mark and in
/// UTF-16, as PowerShell writes what a command prints.
enum PSBTFile {
    /// The PSBT in its binary form.
    static func bytes(of content: Bytes) throws(PSBTError) -> Bytes {
        if content.starts(with: PSBT.magic) { return content }
        guard content.count <= PSBT.maximumFileSize else {
            throw PSBTError(.tooLarge, at: content.count)
        }
        let file = Text.ofFile(content)
        if file.starts(with: PSBT.magic) { return file }
        var text = Text.trimmed(file)
        if text.first == UInt8(ascii: "{") || text.first == UInt8(ascii: "\"") {
            text = try member(text)
        }
        let digits = text.filter { $0 != 0x20 && !(0x09...0x0d).contains($0) }
        if digits.count >= 2 * PSBT.magic.count,
            Hex.decode(digits[..<(2 * PSBT.magic.count)]) == PSBT.magic {
            guard let bytes = Hex.decode(digits[...]) else { throw PSBTError(.base64, .whole) }
            return bytes
        }
        guard !digits.isEmpty, let bytes = Base64.decode(digits) else {
            throw PSBTError(.base64, .whole)
        }
        return bytes
    }

    /// The text in quotes, or in the answer of `walletprocesspsbt` and of calls like it.
    private static func member(_ text: Bytes) throws(PSBTError) -> Bytes {
        var value = try? JSON.parse(text)
        if let result = value?["result"] { value = result }
        guard let psbt = (value?["psbt"] ?? value)?.stringValue else {
            throw PSBTError(.base64, .whole)
        }
        return Bytes(psbt.utf8)
    }
}
