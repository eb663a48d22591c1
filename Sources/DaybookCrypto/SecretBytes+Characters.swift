extension SecretBytes {
    /// The bytes as C's `char *` with their number, for functions that take a passphrase so.
    func withCharacters(_ body: (UnsafePointer<CChar>?, Int32) -> Int32) -> Int32 {
        withBytes { bytes in
            unsafe bytes.withUnsafeBytes { raw in
                let characters = unsafe raw.assumingMemoryBound(to: CChar.self)
                return unsafe body(characters.baseAddress, Int32(raw.count))
            }
        }
    }
}
