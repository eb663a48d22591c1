package import DaybookDomain
import DaybookEncoding

/// The return addresses that may be answered: a rule for `sender`, `caller`, `redirect`, `pop`.
extension Caller {
    /// The caller that a wallet link names with `sender`, a bare scheme; nil if it is not allowed.
    package init?(sender: String) {
        guard let scheme = Self.allowedScheme(sender.utf8.span) else { return nil }
        self.init(scheme: scheme, prefix: sender + "://")
    }

    /// The caller that ICONex Connect names with a URL; nil if it is not allowed.
    ///
    /// `app:` and `app://` are kept, `app` becomes `app://`. A host and path of unreserved
    /// characters are kept, a query is dropped, and a user, port or fragment is refused.
    package init?(returnAddress: String) {
        let bytes = returnAddress.utf8.span
        guard let colon = ByteSearch.first(UInt8(ascii: ":"), in: bytes) else {
            self.init(sender: returnAddress)
            return
        }
        guard let scheme = Self.allowedScheme(bytes.extracting(..<colon)) else { return nil }
        let end = ByteSearch.first(UInt8(ascii: "?"), in: bytes, from: colon) ?? bytes.count
        let target = bytes.extracting((colon + 1)..<end)
        let isPlain = target.isEmpty || ByteOrder.begins(target, with: "//")
        guard isPlain, target.count <= Self.maximumTargetLength, LinkCharacters.path.admit(target),
            LinkCharacters.query.admit(bytes.extracting(end...)),
            let prefix = Text.utf8String(bytes.extracting(..<end))
        else { return nil }
        self.init(scheme: scheme, prefix: prefix)
    }

    /// The caller that a payment URI names with `pop` (BIP 321); nil if it is not allowed.
    ///
    /// The text is a prefix, and a proof of payment is appended to it. For example `app:`, `app:?`,
    /// `app:body?pop=` and `app://host/path?id=7&`.
    package init?(proofPrefix: String) {
        let bytes = proofPrefix.utf8.span
        guard let colon = ByteSearch.first(UInt8(ascii: ":"), in: bytes),
            let scheme = Self.allowedScheme(bytes.extracting(..<colon)),
            Self.isProofTarget(bytes.extracting((colon + 1)...))
        else { return nil }
        self.init(scheme: scheme, prefix: proofPrefix)
    }

    /// Whether a proof of payment can be appended to this host, path and start of a query.
    private static func isProofTarget(_ bytes: Span<UInt8>) -> Bool {
        let question = ByteSearch.first(UInt8(ascii: "?"), in: bytes) ?? bytes.count
        let path = bytes.extracting(..<question)
        // A path that begins at the root names a file to some programs.
        guard bytes.count <= maximumTargetLength, LinkCharacters.path.admit(path),
            !ByteOrder.begins(path, with: "/") || ByteOrder.begins(path, with: "//")
        else { return false }
        guard question < bytes.count else { return true }
        let query = bytes.extracting((question + 1)...)
        return LinkCharacters.proofQuery.admit(query) && isEscapedWell(query)
    }

    private static func isEscapedWell(_ query: Span<UInt8>) -> Bool {
        var copy: Bytes = []
        for index in query.indices { copy.append(query[index]) }
        return LinkText.decode(copy[...]) != nil
    }

    /// The longest host, path and start of a query that is kept of a return address.
    private static let maximumTargetLength = 512

    private static func allowedScheme(_ bytes: Span<UInt8>) -> String? {
        guard (2...64).contains(bytes.count), let scheme = SchemeGrammar.lowercased(bytes),
            RefusedSchemes.reason(against: scheme) == nil
        else { return nil }
        return scheme
    }
}

extension Caller {
    /// The caller that a recorded callback goes to; nil for a URL that must not be opened.
    ///
    /// Every callback that Daybook writes may be opened. One from an imported log or an altered
    /// store may be any URL.
    package init?(callback url: String) {
        let bytes = url.utf8.span
        guard bytes.count <= Links.maximumLength,
            let colon = ByteSearch.first(UInt8(ascii: ":"), in: bytes),
            let scheme = Self.allowedScheme(bytes.extracting(..<colon))
        else { return nil }
        let rest = bytes.extracting((colon + 1)...)
        // A host, a query or a proof of payment follows, never an opaque path that a program
        // could run.
        let isQuery = ByteOrder.begins(rest, with: "//") || ByteOrder.begins(rest, with: "?")
        guard (isQuery && LinkCharacters.query.admit(rest)) || Self.isProof(rest),
            let prefix = Text.utf8String(bytes.extracting(..<(colon + 1)))
        else { return nil }
        self.init(scheme: scheme, prefix: prefix)
    }

    /// Whether this ends in a proof of payment: `onchain=` and a transaction in hexadecimal.
    private static func isProof(_ rest: Span<UInt8>) -> Bool {
        var end = rest.count
        while end > 0, isHexDigit(rest[end - 1]) { end -= 1 }
        let start = end - PaymentURI.proofKey.utf8.count
        let digits = rest.count - end
        guard start >= 0, digits > 0, digits.isMultiple(of: 2) else { return false }
        return ByteOrder.begins(rest.extracting(start...), with: PaymentURI.proofKey)
            && isProofTarget(rest.extracting(..<start))
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

/// The grammar of a URL scheme (RFC 3986, 3.1).
enum SchemeGrammar {
    /// The scheme in lower case; nil if the bytes are no scheme.
    static func lowercased(_ bytes: Span<UInt8>) -> String? {
        // A short text is made in place. Zero bytes mean that it is no scheme.
        let text = unsafe String(unsafeUninitializedCapacity: bytes.count) { text in
            for index in bytes.indices {
                let byte = bytes[index]
                let lower = isUpper(byte) ? byte | 0x20 : byte
                guard isLetter(lower) || (index > 0 && isInner(lower)) else { return 0 }
                unsafe text[index] = lower
            }
            return bytes.count
        }
        return text.isEmpty ? nil : text
    }

    private static func isUpper(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isInner(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
