package import DaybookChains
import DaybookCrypto
package import DaybookEncoding
import DaybookSystem

/// Somebody on an ICON network with a key.
package struct Account: Sendable {
    package let address: ICONAddress
    private let secret: Bytes

    /// Somebody with a key that nobody had before.
    package init() throws {
        try self.init(secret: try Entropy.bytes(32))
    }

    /// Somebody with this key.
    package init(secret: Bytes) throws {
        self.secret = secret
        address = ICONAddress(try Self.key(secret).publicKey)
    }

    /// The key of the account that goloop's own examples give everything to at the beginning.
    package static let wellKnownSecret: Bytes = [
        0x59, 0x2e, 0xb2, 0x76, 0xd5, 0x34, 0xe2, 0xc4, 0x1a, 0x2d, 0x93, 0x56, 0xc0, 0xab, 0x26,
        0x2d, 0xc2, 0x33, 0xd8, 0x7e, 0x4d, 0xd7, 0x1c, 0xe7, 0x05, 0xec, 0x13, 0x0a, 0x8d, 0x27,
        0xff, 0x0c,
    ]

    /// Signs a draft with a step limit.
    package func sign(_ draft: ICONDraft, steps: UInt64) throws -> SignedTransaction {
        let transaction = try draft.transaction(stepLimit: UInt256(steps))
        let signature = try require(
            try Self.key(secret).signRecoverable(digest: transaction.hash), "nothing was signed")
        return SignedTransaction(
            params: transaction.signed(by: ICONSignature(signature)), hash: transaction.hash)
    }

    /// A payment of loop, with bytes along if there are any.
    func pay(
        _ receiver: ICONAddress, _ loop: UInt256, message: Bytes = [], on driver: some ICONDriver
    ) async throws -> ICONDraft {
        ICONDraft(
            from: address, to: receiver, value: loop,
            payload: message.isEmpty ? .nothing : .message(message),
            timestamp: try await driver.now(), nid: driver.nid)
    }

    private static func key(_ secret: Bytes) throws(Broken) -> PrivateKey {
        guard let key = PrivateKey(SecretBytes(copying: secret)) else {
            throw Broken(description: "the bytes are no private key")
        }
        return key
    }
}

/// A transaction of ICON that can be sent.
package struct SignedTransaction: Sendable {
    package let params: JSON
    package let hash: Bytes

    /// The form in which clients take it.
    package var bytes: Bytes { Bytes(params.text().utf8) }
}
