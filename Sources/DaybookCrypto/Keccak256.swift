package import DaybookEncoding

/// Keccak-256 with the padding from before FIPS 202: the check value of ICON's keystore files.
package enum Keccak256 {
    /// The digest's length in bytes.
    package static let length = 32

    /// The digest of some bytes.
    package static func hash(_ bytes: Bytes) -> Bytes {
        sponge(bytes.span, padding: 0x01)
    }

    /// The digest of bytes that live elsewhere.
    package static func hash(_ bytes: Span<UInt8>) -> Bytes {
        sponge(bytes, padding: 0x01)
    }

    /// Bytes taken in at a time: the state's 200 less twice the digest's 32.
    private static let rate = 136

    /// The sponge; SHA3-256 is the same with 0x06 as padding, by which the tests check it.
    static func sponge(_ bytes: Span<UInt8>, padding: UInt8) -> Bytes {
        var state = KeccakState()
        var offset = 0
        for index in bytes.indices {
            state.absorb(bytes[index], at: offset)
            offset += 1
            if offset == rate {
                state.permute()
                offset = 0
            }
        }
        state.absorb(padding, at: offset)
        state.absorb(0x80, at: rate - 1)
        state.permute()
        return (0..<length).map { state.byte(at: $0) }
    }
}
