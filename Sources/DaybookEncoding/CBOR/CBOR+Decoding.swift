extension CBOR {
    /// The value that the bytes spell, if this is its one spelling and nothing follows it.
    package static func decode(_ bytes: Bytes) throws(CBORError) -> CBOR {
        try EncodedCBOR(bytes).value
    }
}
