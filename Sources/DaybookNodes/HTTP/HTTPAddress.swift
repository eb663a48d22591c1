/// What an address must be before libcurl, whose parser forgives much, sees it.
enum HTTPAddress {
    /// Longer ones are nobody's.
    static let maximumBytes = 2_048

    /// Whether it is a scheme, a host and what follows, in printable ASCII and without a user.
    static func isValid(_ url: String) -> Bool {
        let bytes = Array(url.utf8)
        // A backslash separates for some parsers and not for others.
        let isPlain = bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isPlain, bytes.count <= maximumBytes, !bytes.contains(UInt8(ascii: "#")) else {
            return false
        }
        let lowercased = url.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lowercased.hasPrefix($0) })
        else { return false }
        let authority = bytes.dropFirst(scheme.utf8.count).prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        return !authority.isEmpty && authority.first != UInt8(ascii: ":")
            && !authority.contains(UInt8(ascii: "@"))
    }
}
