import DaybookCrypto
import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookLog

/// Our roots and proofs are those that others compute.
struct ReferenceTests {
    @Test func `another program makes the same roots and proofs for every size`() throws {
        let program = try RunningProgram(["python3", Fixture.path("tree/rfc6962.py")])
        let reader = try tree(of: 1_000_000)
        let lines = program.end().lines
        #expect(lines.count == 1113)
        for line in lines {
            let size = try #require(UInt64(line.prefix { $0 != " " }))
            #expect(try self.line(size, reader) == line)
        }
    }

    /// Certificate Transparency's own leaves, with the roots over the first of them.
    @Test func `the reference leaves have the published roots`() throws {
        let leaves = [
            "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
            "606162636465666768696a6b6c6d6e6f",
        ]
        let roots = [
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ]
        var appender = try TreeAppender(MemoryRows(), size: 0)
        for leaf in leaves { appender.append(try #require(Hex.decode(leaf))) }
        appender.save()
        let reader = TreeReader(appender.rows, size: 8)
        for (size, root) in roots.enumerated() {
            #expect(Hex.encode(try reader.head(at: UInt64(size)).root.bytes) == root)
        }
    }

    private func line(_ size: UInt64, _ reader: TreeReader<MemoryRows>) throws -> String {
        let head = try reader.head(at: size)
        var inclusion = Bytes()
        var consistency = Bytes()
        for index in some(below: size) {
            let proof = try reader.inclusionProof(of: index, at: size)
            #expect(proof.proves(event(index), in: head))
            append(proof.hashes, to: &inclusion)
            let beginning = try reader.consistencyProof(from: index + 1, to: size)
            #expect(beginning.proves(try reader.head(at: index + 1), beginsAs: head))
            append(beginning.hashes, to: &consistency)
        }
        let digests = [head.root.bytes, SHA256.hash(inclusion), SHA256.hash(consistency)]
        return "\(size) " + digests.map { Hex.encode($0) }.joined(separator: " ")
    }

    private func append(_ hashes: [TreeHash], to bytes: inout Bytes) {
        bytes.append(UInt8(hashes.count))
        for hash in hashes { bytes += hash.bytes }
    }

    /// The numbers that the other program takes too.
    private func some(below size: UInt64) -> [UInt64] {
        if size <= 100 { return Array(0..<size) }
        var half: UInt64 = 1
        while half * 2 < size { half *= 2 }
        return Set([
            0, 1, size / 3, size / 2, half - 1, half, size - 2, size - 1,
            size * 7919 % 104729 % size,
        ]).sorted()
    }
}
