package import DaybookDomain
package import DaybookEncoding

/// Every link protocol, and the one way for a text from outside to become a request.
package enum Links {
    /// The longest text that is read at all; a protocol may have a lower limit of its own.
    package static let maximumLength = 65_536

    /// The protocols, each of which claims other texts than the rest.
    package static let all: [any LinkProtocol] = [
        WalletLink.dash, WalletLink.axe, PaymentURI.dash, PaymentURI.axe,
        ConnectJSONRPC(), Connect(),
    ]

    /// The protocol that has this name in the log, nil for a name that none ever had.
    package static func linkProtocol(_ id: String) -> (any LinkProtocol)? {
        all.first { Text.equal($0.id, id) }
    }

    /// What may be recorded of a text: secrets and an overlong text stand as their kind and length.
    ///
    /// What is recorded reads as what came: `read(recorded(text)) == read(text)`.
    package static func recorded(_ text: Bytes) -> Bytes {
        guard text.count <= maximumLength else { return SecretMark.overlong(text.count) }
        return Redaction.redact(text)
    }

    /// Reads a text; total: what no protocol understands is refused.
    package static func read(_ text: Bytes) -> LinkReading {
        guard text.count <= maximumLength, !SecretMark.isOverlong(text) else {
            return .refused(Refusal(.linkTooLong), caller: nil, reference: nil)
        }
        guard !SecretMark.stands(in: text), !Redaction.findsSecret(in: text) else {
            return .refused(Refusal(.privateKeyInLink), caller: nil, reference: nil)
        }
        guard let reader = all.first(where: { $0.claims(text) }) else {
            return .refused(Refusal(.unsupportedScheme), caller: nil, reference: nil)
        }
        return reader.read(text)
    }
}
