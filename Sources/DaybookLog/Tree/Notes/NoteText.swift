import DaybookEncoding

/// The numbers and hashes in the lines of checkpoints and proofs, which have one spelling each.
enum NoteText {
    /// The number that decimal digits spell, without leading zeros.
    static func number(_ line: ArraySlice<UInt8>) -> UInt64? {
        guard let text = Text.utf8String(Bytes(line)), let number = UInt64(text),
            Text.equal(String(number), text)
        else { return nil }
        return number
    }

    /// The hash that base 64 spells.
    static func hash(_ line: ArraySlice<UInt8>) -> TreeHash? {
        Base64.decode(line).flatMap { TreeHash($0) }
    }
}
