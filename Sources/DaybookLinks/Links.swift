package import DaybookDomain
package import DaybookEncoding

/// Every link protocol, and the parser that turns a text from outside into a request.
package enum Links {
    /// The longest text that is parsed, in bytes; a protocol may have a lower limit of its own.
    package static let maximumLength = Engines.known.current.limits.link

    /// The protocols, one a line; no two of them can parse the same text.
    package static let all: [any LinkProtocol] = [
        WalletLink.dash,
        WalletLink.axe,
        PaymentURI.dash,
        PaymentURI.axe,
        ConnectJSONRPC(),
        Connect(),
    ]

    /// The rules of `decide`, with these protocols.
    package static let decider = decider(of: all)

    /// The rules of `decide` with some protocols or engines, such as a test's own.
    package static func decider(
        of protocols: [any LinkProtocol] = all, by engines: Engines = .known
    ) -> Decider {
        Decider(links: protocols, by: engines) { parse($0, of: protocols, by: $1) }
    }

    /// The protocol that has this name in the log; nil for a name that none ever had.
    package static func linkProtocol(_ id: String) -> (any LinkProtocol)? {
        all.first { Text.equal($0.id, id) }
    }

    /// The text as it is recorded: its secrets, or all of an overlong text, as kind and length.
    ///
    /// The recorded text parses like the original: `parse(recorded(text)) == parse(text)`.
    package static func recorded(_ text: Bytes) -> Bytes {
        guard text.count <= maximumLength else { return SecretMark.overlong(text.count) }
        return Redaction.redact(text)
    }

    /// Parses a text; one that no protocol can parse is refused.
    ///
    /// White space round a link is no part of it: mail, shells and clipboards add some.
    package static func parse(
        _ text: Bytes, of protocols: [any LinkProtocol] = all,
        by rules: Rules = Engines.known.current
    ) -> LinkReading {
        guard text.count <= rules.limits.link, !SecretMark.isOverlong(text) else {
            return .refused(Refusal(.linkTooLong), caller: nil, reference: nil)
        }
        guard !SecretMark.stands(in: text), !Redaction.findsSecret(in: text) else {
            return .refused(Refusal(.privateKeyInLink), caller: nil, reference: nil)
        }
        let text = Text.trimmed(text)
        guard let reader = protocols.first(where: { $0.canParse(text) }) else {
            return .refused(Refusal(.unsupportedScheme), caller: nil, reference: nil)
        }
        return reader.parse(text, by: rules)
    }
}
