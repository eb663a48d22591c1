package import DaybookChains
package import DaybookEncoding

/// The ways in which programs, mail and editors wrap a PSBT, drawn by a seed.
package enum PSBTWrapping {
    package static func file(of bytes: Bytes, seed: UInt64) -> Bytes {
        var random = Seeded(seed)
        let text: String
        switch random.below(8) {
        case 0: return bytes
        case 1: text = Hex.encode(bytes)
        case 2: text = Hex.encode(bytes).uppercased()
        default: text = Base64.encode(bytes)
        }
        let end = random.pick(["\n", "\r\n"])
        var lines = broken(text, after: random.pick([0, 1, 64, 76]), end)
        switch random.below(6) {
        case 0: lines = "\"\(lines.filter { !$0.isWhitespace })\""
        case 1:
            lines = #"{ "psbt": "\#(lines.filter { !$0.isWhitespace })", "complete": false }"#
        case 2: lines = #"{"result":{"psbt":"\#(lines.filter { !$0.isWhitespace })"},"id":1}"#
        default: break
        }
        let ends = ["", "\n", "\r\n", " ", "\n\n", "\t", "\u{a0}"]
        return encoded(random.pick(ends) + lines + random.pick(ends), random.below(5))
    }

    private static func broken(_ text: String, after length: Int, _ end: String) -> String {
        guard length > 0 else { return text }
        let characters = Array(text)
        return stride(from: 0, to: characters.count, by: length)
            .map { String(characters[$0..<min($0 + length, characters.count)]) }
            .joined(separator: end)
    }

    private static func encoded(_ text: String, _ kind: Int) -> Bytes {
        let units = text.utf16
        switch kind {
        case 0: return [0xef, 0xbb, 0xbf] + text.utf8
        case 1: return units.reduce(into: [0xff, 0xfe]) { $0 += [UInt8($1 & 0xff), UInt8($1 >> 8)] }
        case 2: return units.reduce(into: [0xfe, 0xff]) { $0 += [UInt8($1 >> 8), UInt8($1 & 0xff)] }
        default: return Bytes(text.utf8)
        }
    }
}

/// Writes a PSBT of version 0 in version 2, as `converttopsbt` of other programs does.
package enum PSBTVersion2 {
    package static func bytes(
        of psbt: PSBT, modifiable: UInt8? = nil, changing change: (inout PSBTMap) -> Void = { _ in }
    ) -> Bytes {
        let transaction = psbt.transaction
        var global = psbt.global
        global.remove(PSBTField.unsignedTransaction)
        global.set(0x02, to: fourBytes(UInt32(transaction.version)))
        if transaction.lockTime != 0 { global.set(0x03, to: fourBytes(transaction.lockTime)) }
        global.set(0x04, to: CompactSize.encode(transaction.inputs.count))
        global.set(0x05, to: CompactSize.encode(transaction.outputs.count))
        if let modifiable { global.set(PSBTField.modifiable, to: [modifiable]) }
        global.set(PSBTField.version, to: fourBytes(2))
        change(&global)
        var maps = [global]
        for (index, input) in transaction.inputs.enumerated() {
            var map = psbt.inputs[index]
            map.set(0x0e, to: input.outpoint.txid.bytes)
            map.set(0x0f, to: fourBytes(input.outpoint.index))
            if input.sequence != .max { map.set(0x10, to: fourBytes(input.sequence)) }
            maps.append(map)
        }
        for (index, output) in transaction.outputs.enumerated() {
            var map = psbt.outputs[index]
            var amount = Bytes()
            amount.append(littleEndian: output.amount)
            map.set(0x03, to: amount)
            map.set(0x04, to: output.script)
            maps.append(map)
        }
        return maps.reduce(into: Bytes("psbt".utf8) + [0xff]) { bytes, map in
            for field in map.fields {
                bytes += CompactSize.encode(field.key.count) + field.key
                bytes += CompactSize.encode(field.value.count) + field.value
            }
            bytes.append(0)
        }
    }

    private static func fourBytes(_ number: UInt32) -> Bytes {
        var bytes = Bytes()
        bytes.append(littleEndian: number)
        return bytes
    }
}
