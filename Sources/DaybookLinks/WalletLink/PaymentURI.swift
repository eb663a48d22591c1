package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// Payment URIs of BIP 321: `dash:address?amount=…&label=…`, and the same for Axe.
///
/// The wallets answer a `sender` in these links too. Unlike in their own links it is optional, and
/// a sender that may not be answered is ignored.
package struct PaymentURI: LinkProtocol {
    package let chain: Chain

    /// `dash:`
    package static let dash = PaymentURI(chain: .dash)

    /// `axe:`
    package static let axe = PaymentURI(chain: .axe)

    package var id: String { chain.rawValue }

    package var family: String { chain.rawValue }

    package func canParse(_ text: Bytes) -> Bool {
        LinkText.hasScheme(id, text)
    }

    package func parse(_ text: Bytes, by rules: Rules) -> LinkReading {
        do {
            return .request(try request(text, by: rules))
        } catch {
            return .refused(error, caller: nil, reference: nil)
        }
    }

    /// None: only a success is answered.
    package func code(of refusal: Refusal) -> Int? { nil }

    package func callback(
        _ reply: Reply, to caller: Caller, reference: Int64?, by rules: Rules
    ) -> String? {
        switch reply {
        case .paid(let address, let transaction):
            "\(caller.prefix)callback=payack&address=\(address)&txid=\(transaction)"
        case .proof(let transaction):
            caller.prefix + Self.proofKey + Hex.encode(transaction)
        default: nil
        }
    }

    /// The text before the transaction in a proof of payment; it says that the address was paid.
    package static let proofKey = "onchain="
}

extension PaymentURI {
    private func request(_ text: Bytes, by rules: Rules) throws(Refusal) -> Request {
        guard text.count <= rules.limits.paymentLink else { throw Refusal(.linkTooLong) }
        var rest = LinkText.afterScheme(text)
        guard LinkCharacters.query.admit(rest) else {
            throw Refusal(.malformedLink, parameter: LinkText.fault(of: rest))
        }
        if let afterSlashes = LinkText.removing("//", from: rest) { rest = afterSlashes }
        var address = rest.prefix { $0 != UInt8(ascii: "?") }
        let query = rest[address.endIndex...].dropFirst()
        if address.last == UInt8(ascii: "/") { address = address.dropLast() }

        let parameters = query.isEmpty ? LinkParameters() : try LinkParameters(query, .bip321)
        try parameters.refuseRequired(except: PaymentParameters.keys + [.label, .proof])
        let terms = try PaymentParameters(parameters)
        // An address has one spelling.
        let spelled = String(decoding: address, as: UTF8.self)
        guard UTXOAddress(spelled, chain: chain) != nil else {
            throw Refusal(
                .invalidAddress, parameter: UTXOAddress.fault(of: spelled, on: chain))
        }
        let answer = try Self.answer(parameters)
        return Request(
            link: id, chain: chain,
            action: .pay(
                address: spelled, amount: terms.amount, instantSend: terms.instantSend),
            caller: answer.caller, notes: Self.notes(parameters), proof: answer.proof)
    }

    /// The caller that is told of the payment, and what becomes of the proof of payment.
    ///
    /// A request has one callback: `pop` goes before `sender`, unless `sender` is required.
    private static func answer(
        _ parameters: LinkParameters
    ) throws(Refusal) -> (caller: Caller?, proof: Request.Proof?) {
        let sender = try sender(parameters)
        guard let prefix = parameters[.proof] else { return (sender, nil) }
        let caller = parameters.isRequired(.sender) ? nil : Caller(proofPrefix: prefix)
        if let caller { return (caller, parameters.isRequired(.proof) ? .required : .wanted) }
        guard !parameters.isRequired(.proof) else {
            throw Refusal(.proofUnavailable, parameter: LinkKey.proof.rawValue)
        }
        return (sender, .declined)
    }

    private static func sender(_ parameters: LinkParameters) throws(Refusal) -> Caller? {
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
