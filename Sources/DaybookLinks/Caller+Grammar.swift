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
            !deniedSchemes.contains(scheme), !hasDeniedBeginning(scheme)
        else { return nil }
        return scheme
    }

    private static func hasDeniedBeginning(_ scheme: String) -> Bool {
        // Nearly every scheme is told from nearly all of these by its first letter.
        let first = scheme.utf8.first
        return deniedBeginnings.contains {
            $0.utf8.first == first && Text.begins(scheme, with: $0)
        }
    }

    /// Schemes that belong to wallets, to the web or to the system: none is an app that asked.
    private static let deniedSchemes: Set = [
        // The wallets whose links are read here: an answer to them would be a new request.
        "dash", "dashwallet", "dashid", "dashpay", "dash-key", "dash-st", "axe", "axewallet",
        "axeid", "pay", "iconex", "icon", "daybook",
        // Other wallets and their payment links.
        "bitcoin", "bitcoincash", "litecoin", "dogecoin", "zcash", "monero", "ethereum",
        "ripple", "stellar", "solana", "cardano", "tron", "lightning", "lnurl", "lnurlp",
        "lnurlw", "lnurlc", "keyauth", "wc", "metamask", "trust", "phantom", "rainbow", "hana",
        "ledgerlive", "exodus", "coinbase", "cbwallet", "uphold",
        // The web and its documents.
        "http", "https", "ws", "wss", "ftp", "ftps", "sftp", "file", "data", "javascript",
        "vbscript", "blob", "filesystem", "about", "view-source", "chrome", "chrome-extension",
        "moz-extension", "safari", "firefox", "googlechrome", "googlechromes", "edge", "opera",
        "chromium", "brave", "vivaldi", "duckduckgo", "rtsp", "rtmp", "news", "snews", "nntp",
        "tftp", "scp", "jnlp", "jnlps", "magnet", "ed2k", "res", "mk", "livescript", "mocha",
        "wyciwyg", "feed", "gopher", "cid", "mid", "urn", "resource", "jar", "content",
        // Telephone, mail and messages.
        "tel", "telprompt", "sip", "sips", "sms", "smsto", "mms", "mmsto", "mailto", "message",
        "facetime", "facetime-audio", "imessage", "xmpp", "irc", "whatsapp", "tg",
        "callto", "skype", "viber", "signal", "sgnl",
        // The system and its stores, settings and shells.
        "intent", "android-app", "android-resource", "market", "package", "geo", "maps", "map",
        "app-settings", "app-prefs", "prefs", "settings", "shortcuts", "workflow",
        "search", "apt", "ssh", "telnet", "git", "svn", "smb", "nfs", "afp", "ldap", "ldaps", "dav",
        "davs", "webdav", "rdp", "vnc", "search-ms", "shell", "help", "hcp", "man", "info",
        "admin", "trash", "steam", "calshow", "webcal", "photos-redirect", "diagnostics",
    ]

    private static let deniedBeginnings = [
        "ms-", "microsoft-", "touch-http", "firefox-", "opera-", "itms", "x-apple", "com.apple.",
        "apple-", "android-", "chrome-", "web+",
    ]
}
