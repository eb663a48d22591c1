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

/// The 1600 bits of Keccak-f, as 25 lanes, lane x + 5y; the numbers are those of FIPS 202.
struct KeccakState {
    private var lanes: [UInt64] = Array(repeating: 0, count: 25)

    mutating func absorb(_ byte: UInt8, at offset: Int) {
        lanes[offset / 8] ^= UInt64(byte) << UInt64(offset % 8 * 8)
    }

    func byte(at offset: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: lanes[offset / 8] >> UInt64(offset % 8 * 8))
    }

    /// 24 rounds of theta, rho and pi, chi, iota (FIPS 202, section 3.2).
    mutating func permute() {
        for constant in Self.roundConstants {
            mixColumns()
            let moved = rotatedAndMoved()
            for row in stride(from: 0, to: 25, by: 5) {
                for x in 0..<5 {
                    let next = moved[row + (x + 1) % 5]
                    lanes[row + x] = moved[row + x] ^ (~next & moved[row + (x + 2) % 5])
                }
            }
            lanes[0] ^= constant
        }
    }

    private mutating func mixColumns() {
        var parity: [UInt64] = [0, 0, 0, 0, 0]
        for index in lanes.indices {
            parity[index % 5] ^= lanes[index]
        }
        for x in 0..<5 {
            let mix = parity[(x + 4) % 5] ^ Self.rotated(parity[(x + 1) % 5], by: 1)
            for row in stride(from: 0, to: 25, by: 5) {
                lanes[row + x] ^= mix
            }
        }
    }

    private func rotatedAndMoved() -> [UInt64] {
        var moved = lanes
        for y in 0..<5 {
            for x in 0..<5 {
                let target = y + 5 * ((2 * x + 3 * y) % 5)
                moved[target] = Self.rotated(lanes[x + 5 * y], by: Self.rotations[x + 5 * y])
            }
        }
        return moved
    }

    private static func rotated(_ lane: UInt64, by count: UInt64) -> UInt64 {
        lane << count | lane >> ((64 - count) % 64)
    }

    private static let rotations: [UInt64] = [
        0, 1, 62, 28, 27,
        36, 44, 6, 55, 20,
        3, 10, 43, 25, 39,
        41, 45, 15, 21, 8,
        18, 2, 61, 56, 14,
    ]

    private static let roundConstants: [UInt64] = [
        0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808A,
        0x8000_0000_8000_8000, 0x0000_0000_0000_808B, 0x0000_0000_8000_0001,
        0x8000_0000_8000_8081, 0x8000_0000_0000_8009, 0x0000_0000_0000_008A,
        0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000A,
        0x0000_0000_8000_808B, 0x8000_0000_0000_008B, 0x8000_0000_0000_8089,
        0x8000_0000_0000_8003, 0x8000_0000_0000_8002, 0x8000_0000_0000_0080,
        0x0000_0000_0000_800A, 0x8000_0000_8000_000A, 0x8000_0000_8000_8081,
        0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
    ]
}
