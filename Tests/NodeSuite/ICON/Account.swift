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
