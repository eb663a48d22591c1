package import DaybookChains
import DaybookEncoding

/// An ICON transaction that another machine is to sign, or has signed.
///
/// The file is a JSON object of these members and no others:
///
///     {"daybook": "signing request", "version": 1, "network": "mainnet", "nid": "0x1",
///      "params": {…}, "signature": "…"}
package struct ICONSigningRequest: Equatable, Sendable {
    /// The network of the wallet.
    package let network: Network
    /// The transaction, without its signature.
    package let transaction: ICONTransaction
    /// The signature, where it was made.
    package private(set) var signature: ICONSignature?

    /// The largest file; a transaction's data may be half a megabyte.
    package static let maximumSize = 1 << 20

    /// A request to sign a transaction.
    package init(_ transaction: ICONTransaction, on network: Network) {
        self.transaction = transaction
        self.network = network
    }

    /// The same with the signature, if it is one of the sender's.
    package func signed(by signature: ICONSignature) -> ICONSigningRequest? {
        guard transaction.isSigned(by: signature) else { return nil }
        var copy = self
        copy.signature = signature
        return copy
    }

    init(file content: Bytes) throws(SigningRequestError) {
        guard content.count <= Self.maximumSize else { throw .json("it is larger than 1 MiB") }
        guard let json = try? JSON.parse(content), let members = json.objectValue else {
            throw .json("it is no JSON object")
        }
        let names = ["daybook", "version", "network", "nid", "params", "signature"]
        if let other = members.first(where: { member in
            !names.contains { Text.equal($0, member.name) }
        }) {
            throw .json("it has a member \(Text.escaped(String(other.name.prefix(64))))")
        }
        guard Text.equal(json["daybook"]?.stringValue ?? "", Self.kind) else {
            throw .json("it does not say that it is one")
        }
        guard json["version"]?.intValue == 1 else { throw .json("its version is not 1") }
        guard let network = json["network"]?.stringValue.flatMap(Network.init) else {
            throw .json("its network is not known")
        }
        guard let params = json["params"] else { throw .json("it has no params") }
        let transaction: ICONTransaction
        do throws(ICONFieldError) {
            transaction = try ICONTransaction(params: params)
        } catch {
            throw .parameter(Text.escaped(String(error.key.prefix(64))))
        }
        guard params["signature"] == nil else { throw .parameter("signature") }
        guard Text.equal(json["nid"]?.stringValue ?? "", ICONInteger.text(transaction.nid)) else {
            throw .json("its nid is not that of its params")
        }
        self.init(transaction, on: network)
        guard let text = json["signature"] else { return }
        guard let signature = text.stringValue.flatMap({ ICONSignature(base64: $0) }),
            let signed = signed(by: signature)
        else { throw .json("its signature is not the sender's") }
        self = signed
    }

    var file: Bytes {
        let json = JSON.record([
            "daybook": .string(Self.kind), "version": .int(1),
            "network": .string(network.rawValue),
            "nid": .string(ICONInteger.text(transaction.nid)), "params": transaction.params,
            "signature": signature.map { .string($0.base64) },
        ])
        return Bytes((json.text(pretty: true) + "\n").utf8)
    }

    private static let kind = "signing request"
}
