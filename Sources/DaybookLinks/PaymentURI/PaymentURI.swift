package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// Payment URIs of BIP 21: `dash:address?amount=…&label=…`, and the same for Axe.
///
/// The wallets answer a `sender` here too; unlike in their own links nobody has to name one, and
/// one that may not be answered is passed over.
package struct PaymentURI: LinkProtocol {
    package let chain: Chain

    /// `dash:`
    package static let dash = PaymentURI(chain: .dash)

    /// `axe:`
    package static let axe = PaymentURI(chain: .axe)

    package var id: String { chain.rawValue }

    package var family: String { chain.rawValue }

    package func claims(_ text: Bytes) -> Bool {
        LinkText.hasScheme(id, text)
    }

    package func read(_ text: Bytes) -> LinkReading {
        do {
            return .request(try request(text))
        } catch {
            return .refused(error, caller: nil, reference: nil)
        }
    }

    /// None: nothing but success is answered.
    package func code(of refusal: Refusal) -> Int? { nil }

    package func callback(_ reply: Reply, to caller: Caller, reference: Int64?) -> String? {
        guard case .paid(let address, let transaction) = reply else { return nil }
        return "\(caller.prefix)callback=payack&address=\(address)&txid=\(transaction)"
    }
}

extension PaymentURI {
    private func request(_ text: Bytes) throws(Refusal) -> Request {
        guard text.count <= WalletLink.maximumLength else { throw Refusal(.linkTooLong) }
        var rest = LinkText.afterScheme(text)
        guard LinkCharacters.query.admit(rest) else { throw Refusal(.malformedLink) }
        if let afterSlashes = LinkText.removing("//", from: rest) { rest = afterSlashes }
        var address = rest.prefix { $0 != UInt8(ascii: "?") }
        let query = rest[address.endIndex...].dropFirst()
        if address.last == UInt8(ascii: "/") { address = address.dropLast() }

        let parameters = query.isEmpty ? LinkParameters() : try LinkParameters(query)
        try parameters.refuseRequired(except: PaymentTerms.keys + [.label])
        let terms = try PaymentTerms(parameters)
        // An address has one spelling.
        let spelled = String(decoding: address, as: UTF8.self)
        guard UTXOAddress(spelled, chain: chain) != nil else {
            throw Refusal(.invalidAddress, parameter: "address")
        }
        return Request(
            link: id, chain: chain,
            action: .pay(
                address: spelled, amount: terms.amount, instantSend: terms.instantSend),
            caller: try Self.caller(parameters), notes: Self.notes(parameters))
    }

    private static func caller(_ parameters: LinkParameters) throws(Refusal) -> Caller? {
        let caller = parameters[.sender].flatMap { Caller(sender: $0) }
        guard caller != nil || !parameters.isRequired(.sender) else {
            throw Refusal(.invalidCaller, parameter: "sender")
        }
        return caller
    }

    private static func notes(_ parameters: LinkParameters) -> [Request.Note] {
        [LinkKey.label, .message].compactMap { key in
            parameters[key].map { Request.Note(name: key.rawValue, text: $0) }
        }
    }
}
