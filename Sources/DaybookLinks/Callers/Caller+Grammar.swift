package import DaybookDomain
import DaybookEncoding

/// Which return addresses may be answered: the one rule for `sender`, `caller` and `redirect`.
extension Caller {
    /// The caller that a wallet link names with `sender`, a bare scheme; nil if it is not allowed.
    package init?(sender: String) {
        guard let scheme = Self.allowedScheme(sender.utf8.span) else { return nil }
        self.init(scheme: scheme, prefix: sender + "://")
    }

    /// The caller that ICONex Connect names with a URL; nil if it is not allowed.
    ///
    /// A colon or `://` stays as it came, a bare scheme gets `://`; a host and path of unreserved
    /// characters stay, a query gives way to the answer, and user, port and fragment are refused.
    package init?(returnAddress: String) {
        let bytes = returnAddress.utf8.span
        guard let colon = ByteSearch.first(UInt8(ascii: ":"), in: bytes) else {
            self.init(sender: returnAddress)
            return
        }
        guard let scheme = Self.allowedScheme(bytes.extracting(..<colon)) else { return nil }
        let end = ByteSearch.first(UInt8(ascii: "?"), in: bytes, from: colon) ?? bytes.count
        let place = bytes.extracting((colon + 1)..<end)
        let isPlain = place.isEmpty || ByteOrder.begins(place, with: "//")
        guard isPlain, place.count <= Self.maximumPlaceLength, LinkCharacters.path.admit(place),
            LinkCharacters.query.admit(bytes.extracting(end...)),
            let prefix = Text.utf8String(bytes.extracting(..<end))
        else { return nil }
        self.init(scheme: scheme, prefix: prefix)
    }

    /// The longest host and path that is kept of a return address.
    private static let maximumPlaceLength = 512

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
    /// Every callback that Daybook words is such a URL. One that came with an imported log, or out
    /// of an altered store, need not be.
    package init?(callback url: String) {
        let bytes = url.utf8.span
        guard bytes.count <= Links.maximumLength,
            let colon = ByteSearch.first(UInt8(ascii: ":"), in: bytes),
            let scheme = Self.allowedScheme(bytes.extracting(..<colon))
        else { return nil }
        let rest = bytes.extracting((colon + 1)...)
        // What follows is a host or a query, never an opaque path that a program could run.
        guard ByteOrder.begins(rest, with: "//") || ByteOrder.begins(rest, with: "?"),
            LinkCharacters.query.admit(rest), let prefix = Text.utf8String(
                bytes.extracting(..<(colon + 1)))
        else { return nil }
        self.init(scheme: scheme, prefix: prefix)
    }
}
