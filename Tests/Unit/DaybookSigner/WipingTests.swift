import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookSystem
import Foundation
import Glibc
import Testing
import TestSupport

@testable import DaybookSigner

/// Searches this process's memory for secrets that should have been wiped.
@Suite struct WipingTests {
    /// The secret's bytes, inverted: the test itself must not be where they are found.
    private let inverted: Bytes

    init() throws {
        inverted = try Entropy.bytes(24)
    }

    @Test func `a secret is in memory while it is held, and not afterwards`() throws {
        do {
            let secret = plant()
            let held = try copies()
            #expect(held > 0)
            #expect(secret.count == inverted.count)
        }
        let left = try copies()
        #expect(left == 0)
    }

    @Test func `sealing and unlocking leave no copy of the secret or the passphrase`() throws {
        let folder = try TemporaryFolder()
        let keystore = Keystore(
            folder: folder.path + "/keys", parameters: .cheap)
        do {
            let passphrase = plant()
            let entropy = plant()
            let sealed = WalletSecret.mnemonic(try Mnemonic(entropy: entropy))
            let material = try #require(try sealed.publicMaterial(.dash, .mainnet))
            try keystore.seal(
                sealed, of: material, passphrase: passphrase, salt: KeystoreTests.salt,
                nonce: KeystoreTests.nonce)
            try keystore.reseal(
                name: material.fingerprint, from: passphrase, to: passphrase,
                salt: KeystoreTests.salt, nonce: KeystoreTests.nonce)
            let wallet = try keystore.unlock(
                name: material.fingerprint, passphrase: passphrase)
            _ = try wallet.key(at: .legacyAccount).sign(digest: SHA256.hash([1])) == nil
        }
        let left = try copies()
        #expect(left == 0)
    }

    private func plant() -> SecretBytes {
        SecretBytes(count: inverted.count) { bytes in
            for index in inverted.indices { bytes[index] = ~inverted[index] }
        }
    }

    /// The number of copies of the secret in this process's writable memory.
    private func copies() throws -> Int {
        let file = open("/proc/self/mem", O_RDONLY)
        try #require(file >= 0)
        defer { close(file) }
        var count = 0
        var chunk = Bytes(repeating: 0, count: 1 << 20)
        for region in try regions() {
            var start = region.lowerBound
            while start < region.upperBound {
                let wanted = min(chunk.count, region.upperBound - start)
                let got = chunk.withUnsafeMutableBytes {
                    pread(file, $0.baseAddress, wanted, start)
                }
                // Not every page of a region can be read; the next region may.
                guard got > 0 else { break }
                count += chunk.withUnsafeBytes { matches(in: $0.prefix(got)) }
                // The bytes read here must not count as another copy.
                chunk.withUnsafeMutableBytes {
                    _ = $0.initializeMemory(as: UInt8.self, repeating: 0)
                }
                // The overlap is for a secret that lies across two chunks.
                start += got < chunk.count ? got : got - inverted.count
            }
        }
        return count
    }

    private func matches(in bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        let buffer = UnsafeRawBufferPointer(rebasing: bytes)
        guard let base = buffer.baseAddress else { return 0 }
        var count = 0
        var offset = 0
        while offset + inverted.count <= buffer.count,
            let hit = memchr(base + offset, Int32(~inverted[0]), buffer.count - offset) {
            let start = base.distance(to: UnsafeRawPointer(hit))
            guard start + inverted.count <= buffer.count else { break }
            if inverted.indices.allSatisfy({ buffer[start + $0] == ~inverted[$0] }) { count += 1 }
            offset = start + 1
        }
        return count
    }

    private func regions() throws -> [Range<Int>] {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        return maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), bounds.count == 2 else { return nil }
            return bounds[0]..<bounds[1]
        }
    }
}
