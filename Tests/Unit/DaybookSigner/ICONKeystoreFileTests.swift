import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookSigner

@Suite struct ICONKeystoreFileTests {
    /// A keystore that iconsdk wrote, cheap to open, with its password and key.
    private let sample: Sample
    private let all: [Sample]

    private struct Sample {
        let name: String
        let password: String
        let privateKey: Bytes
        let address: String
        let file: JSON
    }

    init() throws {
        let vectors = try Fixture.json("icon/icon.json")
        all = try #require(vectors["keystores"]?.arrayValue).map { keystore in
            Sample(
                name: try #require(keystore["name"]?.stringValue),
                password: try #require(keystore["password"]?.stringValue),
                privateKey: try #require(Hex.decode(keystore["privateKey"]?.stringValue ?? "x")),
                address: try #require(keystore["address"]?.stringValue),
                file: try #require(keystore["keystore"]))
        }
        sample = try #require(all.first { $0.name == "private key begins 00" })
    }

    @Test func `keystores of every known writer open to their keys`() throws {
        #expect(all.count == 6)
        for sample in all {
            let file = try ICONKeystoreFile(Bytes(sample.file.text().utf8))
            #expect(file.address?.text == sample.address)
            guard case .key(let single) = try file.unlock(password: secret(sample.password)) else {
                Issue.record("a keystore holds a key")
                return
            }
            #expect(single.key.plain() == sample.privateKey)
        }
    }

    @Test func `a file of ours opens with its password and is as the other writers' are`() throws {
        let key = PrivateKey(SecretBytes(copying: sample.privateKey))!
        let bytes = try ICONKeystoreFile.sealing(
            key, password: secret("Pässword 1!"), parameters: .init(n: 1024, r: 8, p: 1),
            salt: Bytes(0..<16), counter: Bytes(repeating: 0, count: 16),
            id: Bytes(repeating: 0xff, count: 16))
        let json = try JSON.parse(bytes)
        let names = { (file: JSON) in Set((file.objectValue ?? []).map(\.name)) }
        #expect(names(json) == names(sample.file))
        #expect(json["id"]?.stringValue == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(json["address"]?.stringValue == sample.address)
        let file = try ICONKeystoreFile(bytes)
        guard case .key(let single) = try file.unlock(password: secret("Pässword 1!")) else {
            Issue.record("a keystore holds a key")
            return
        }
        #expect(single.key.plain() == sample.privateKey)
        #expect(throws: ICONKeystoreError.wrongPassword) {
            _ = try file.unlock(password: secret("Pässword 1"))
        }
    }

    @Test func `a wrong password gives no key`() {
        for password in ["", "qwerty1!", "Qwerty1! "] {
            #expect(throws: ICONKeystoreError.wrongPassword) { try open(sample.file, password) }
        }
    }

    @Test func `a changed mac or ciphertext is taken for a wrong password`() {
        for path in [["crypto", "mac"], ["crypto", "ciphertext"]] {
            let text = sample.file.value(at: path)?.stringValue ?? ""
            let flipped = (text.first == "0" ? "1" : "0") + text.dropFirst()
            let changed = sample.file.replacing(path, with: .string(flipped))
            #expect(throws: ICONKeystoreError.wrongPassword) { try open(changed) }
        }
    }

    @Test func `a counter that lost its leading zeros opens all the same`() throws {
        let path = ["crypto", "cipherparams", "iv"]
        let text = try #require(sample.file.value(at: path)?.stringValue)
        try #require(text.hasPrefix("00"))
        try open(sample.file.replacing(path, with: .string(String(text.dropFirst(2)))))
    }

    @Test func `another counter gives a key that is not the address's`() {
        let changed = sample.file.replacing(["crypto", "cipherparams", "iv"], with: .string("01"))
        #expect(throws: ICONKeystoreError.otherAddress) { try open(changed) }
    }

    @Test func `another address than the key's is refused, none is not`() throws {
        let zero = "hx" + String(repeating: "0", count: 40)
        let other = sample.file.replacing(["address"], with: .string(zero))
        #expect(throws: ICONKeystoreError.otherAddress) { try open(other) }
        #expect(throws: ICONKeystoreError.field("address")) {
            try open(sample.file.replacing(["address"], with: .string("hx00")))
        }
        try open(sample.file.replacing(["address"], with: nil))
    }

    @Test func `a file cut anywhere is refused without work`() throws {
        let bytes = Bytes(sample.file.text().utf8)
        for count in 0..<bytes.count {
            #expect(throws: ICONKeystoreError.self) {
                _ = try ICONKeystoreFile(Bytes(bytes.prefix(count)))
            }
        }
        #expect(throws: ICONKeystoreError.notJSON(offset: bytes.count - 1)) {
            _ = try ICONKeystoreFile(Bytes(bytes.dropLast()))
        }
        #expect(throws: ICONKeystoreError.tooLarge(16_385)) {
            _ = try ICONKeystoreFile(Bytes(repeating: 0x20, count: 16_385))
        }
    }

    @Test(arguments: [
        (1 << 30, 8, 1), (1 << 19, 8, 1), (2, 1 << 40, 1), (2, 1, 1 << 40), (1 << 18, 8, 16),
    ])
    func `parameters that would stop the machine are refused at once`(n: Int, r: Int, p: Int) {
        let error = KeyDerivationError.tooExpensive("scrypt n \(n), r \(r), p \(p)")
        #expect(throws: ICONKeystoreError.keyDerivation(error)) {
            try open(sample.file.withParameters(n: n, r: r, p: p))
        }
    }

    @Test(arguments: [(0, 8, 1), (1000, 8, 1), (1024, 0, 1), (1024, 8, 0)])
    func `parameters without meaning are refused`(n: Int, r: Int, p: Int) {
        let error = KeyDerivationError.undefined("scrypt n \(n), r \(r), p \(p)")
        #expect(throws: ICONKeystoreError.keyDerivation(error)) {
            try open(sample.file.withParameters(n: n, r: r, p: p))
        }
    }

    @Test func `absurd iterations are refused at once`() throws {
        let pbkdf2 = try #require(all.first { $0.name == "pbkdf2" }).file
        let changed = pbkdf2.replacing(["crypto", "kdfparams", "c"], with: .int(4_000_000_000))
        let error = KeyDerivationError.tooExpensive("4000000000 iterations, at most 2000000")
        #expect(throws: ICONKeystoreError.keyDerivation(error)) { try open(changed) }
    }

    @Test(arguments: [
        (["version"], JSON.int(4), ICONKeystoreError.unsupported("another version than 3")),
        (["version"], .string("3"), .unsupported("another version than 3")),
        (["coinType"], .string("eth"), .unsupported("another coin than icx")),
        (["crypto", "cipher"], .string("aes-256-cbc"), .unsupported("another cipher")),
        (
            ["crypto", "kdf"], .string("argon2"),
            .unsupported("another key derivation than scrypt and pbkdf2")
        ),
        (["crypto", "kdfparams", "n"], .number("1e3"), .field("crypto.kdfparams.n")),
        (["crypto", "kdfparams", "n"], .number("-1024"), .field("crypto.kdfparams.n")),
        (
            ["crypto", "kdfparams", "n"], .number("99999999999999999999"),
            .field("crypto.kdfparams.n")
        ),
        (["crypto", "kdfparams", "dklen"], .int(64), .field("crypto.kdfparams.dklen")),
        (["crypto", "kdfparams", "salt"], .string(""), .field("crypto.kdfparams.salt")),
        (["crypto", "mac"], .string("00"), .field("crypto.mac")),
        (["crypto", "ciphertext"], .string("zz"), .field("crypto.ciphertext")),
        (
            ["crypto", "cipherparams", "iv"], .string(String(repeating: "0", count: 34)),
            .field("crypto.cipherparams.iv")
        ),
    ] as [([String], JSON, ICONKeystoreError)])
    func `unknown algorithms are named`(path: [String], value: JSON, expected: ICONKeystoreError) {
        #expect(throws: expected) { try open(sample.file.replacing(path, with: value)) }
    }

    @Test(arguments: [
        ["crypto"], ["crypto", "cipher"], ["crypto", "ciphertext"], ["crypto", "mac"],
        ["crypto", "kdf"], ["crypto", "kdfparams"], ["crypto", "kdfparams", "n"],
        ["crypto", "kdfparams", "r"], ["crypto", "kdfparams", "p"],
        ["crypto", "kdfparams", "salt"], ["crypto", "kdfparams", "dklen"],
    ])
    func `a field that is missing is named`(path: [String]) {
        #expect(throws: ICONKeystoreError.field(path.joined(separator: "."))) {
            try open(sample.file.replacing(path, with: nil))
        }
    }

    private func open(_ file: JSON, _ password: String = "Qwerty1!") throws {
        let secret = try ICONKeystoreFile(Bytes(file.text().utf8))
            .unlock(password: secret(password))
        guard case .key(let single) = secret else { throw ICONKeystoreError.notAKey }
        #expect(single.key.plain() == sample.privateKey)
    }
}

extension JSON {
    /// The value at a path of names.
    fileprivate func value(at path: [String]) -> JSON? {
        path.reduce(self as JSON?) { $0?[$1] }
    }

    /// The same with another value at a path of names, or without one.
    fileprivate func replacing(_ path: [String], with value: JSON?) -> JSON {
        guard let name = path.first, case .object(let members) = self else { return self }
        return .object(
            members.compactMap { member in
                guard member.name == name else { return member }
                let rest = Array(path.dropFirst())
                let changed = rest.isEmpty ? value : member.value.replacing(rest, with: value)
                return changed.map { Member(name: name, value: $0) }
            })
    }

    fileprivate func withParameters(n: Int, r: Int, p: Int) -> JSON {
        replacing(["crypto", "kdfparams", "n"], with: .int(n))
            .replacing(["crypto", "kdfparams", "r"], with: .int(r))
            .replacing(["crypto", "kdfparams", "p"], with: .int(p))
    }
}
