package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The links of the Dash and Axe wallets, such as `dashwallet://pay=…&amount=…&sender=…`.
///
/// The pairs are in the place of a URL's host, so URL types would mangle them; the raw text is
/// parsed instead. Android's form with a question mark is parsed too, and answered alike.
package struct WalletLink: LinkProtocol {
    package let id: String
    package let chain: Chain

    /// `dashwallet:`
    package static let dash = WalletLink(id: "dashwallet", chain: .dash)

    /// `axewallet:`
    package static let axe = WalletLink(id: "axewallet", chain: .axe)

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

    /// None: these protocols answer only a success.
    package func code(of refusal: Refusal) -> Int? { nil }

    package func callback(
        _ reply: Reply, to caller: Caller, reference: Int64?, by rules: Rules
    ) -> String? {
        switch reply {
        case .paid(let address, let transaction):
            "\(caller.prefix)callback=payack&address=\(address)&txid=\(transaction)"
        case .address(let address):
            "\(caller.prefix)callback=address&address=\(address)&source=\(id)"
        case .masterPublicKey(let bip32, let bip44, let account):
            "\(caller.prefix)callback=masterPublicKey&masterPublicKeyBIP32=\(bip32)"
                + "&masterPublicKeyBIP44=\(bip44)&account=\(account)&source=\(id)"
        case .proof, .bound, .signature, .transactionHash, .refused: nil
        }
    }
}

extension WalletLink {
    private func request(_ text: Bytes, by rules: Rules) throws(Refusal) -> Request {
        guard text.count <= rules.limits.paymentLink else { throw Refusal(.linkTooLong) }
        let pairs = try Self.pairs(text)
        let verb = LinkText.upTo("=", pairs)
        let parameters: LinkParameters
        let action: Action
        if ByteOrder.areSame(verb, "pay") {
            parameters = try Self.parameters(pairs, known: PaymentParameters.keys)
            action = try payment(parameters)
        } else if ByteOrder.areSame(verb, "request") {
            parameters = try Self.parameters(
                pairs, known: [.account, .sender, .message])
            action = try Self.disclosure(parameters)
        } else {
            throw Refusal(.unknownMethod)
        }
        let notes = parameters[.message].map { [Request.Note(name: "message", text: $0)] }
        return Request(
            link: id, chain: chain, action: action, caller: try Self.caller(parameters),
            notes: notes ?? [])
    }

    /// The part with the pairs: after `//`, without Android's `?` and without one slash at the end.
    private static func pairs(_ text: Bytes) throws(Refusal) -> ArraySlice<UInt8> {
        guard var pairs = LinkText.removing("//", from: LinkText.afterScheme(text)) else {
            throw Refusal(.malformedLink)
        }
        if let query = LinkText.removing("?", from: pairs) { pairs = query }
        if pairs.last == UInt8(ascii: "/") { pairs = pairs.dropLast() }
        guard !pairs.isEmpty, LinkCharacters.walletLink.admit(pairs) else {
            throw Refusal(.malformedLink)
        }
        return pairs
    }

    private static func parameters(
        _ pairs: ArraySlice<UInt8>, known: [LinkKey]
    ) throws(Refusal) -> LinkParameters {
        let parameters = try LinkParameters(pairs, .bip21)
        // One link asks for one thing.
        guard parameters[.pay] == nil || parameters[.request] == nil else {
            throw Refusal(.malformedLink)
        }
        try parameters.refuseRequired(except: known)
        return parameters
    }

    private func payment(_ parameters: LinkParameters) throws(Refusal) -> Action {
        let terms = try PaymentParameters(parameters)
        let address = parameters[.pay] ?? ""
        guard UTXOAddress(address, chain: chain) != nil else {
            throw Refusal(
                .invalidAddress, parameter: UTXOAddress.fault(of: address, on: chain))
        }
        // An address has one spelling.
        return .pay(address: address, amount: terms.amount, instantSend: terms.instantSend)
    }

    /// The action that `request=` asks for.
    private static func disclosure(_ parameters: LinkParameters) throws(Refusal) -> Action {
        let account = try account(parameters[.account])
        let method = parameters[.request] ?? ""
        if Text.equal(method, "masterPublicKey") { return .masterPublicKey(account: account) }
        if Text.equal(method, "address") { return .address(account: account) }
        throw Refusal(.unknownMethod, parameter: "request")
    }

    /// An account number as BIP 32 can harden it, spelled without leading zeros; 0 if left out.
    private static func account(_ text: String?) throws(Refusal) -> UInt32 {
        guard let text else { return 0 }
        guard let number = UInt32(text), number < DerivationPath.hardened,
            Text.equal(String(number), text)
        else { throw Refusal(.invalidParameter, parameter: "account") }
        return number
    }

    private static func caller(_ parameters: LinkParameters) throws(Refusal) -> Caller {
        guard let sender = parameters[.sender] else {
            throw Refusal(.missingCaller, parameter: "sender")
        }
        guard let caller = Caller(sender: sender) else {
            throw Refusal(.invalidCaller, parameter: "sender")
        }
        return caller
    }
}
