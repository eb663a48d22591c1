package import DaybookDomain
package import DaybookEncoding

/// Why a link's return address is not allowed, for people: the log has only the name of its key.
extension Caller {
    /// The reason, in lower case, with the key as the refusal names it; nil if the text has no
    /// such key.
    package static func fault(inLink text: Bytes, key: String) -> String? {
        let pairs = text.split { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&")
            || $0 == UInt8(ascii: "/") }
        let names = [key + "=", "req-" + key + "="]
        for pair in pairs {
            for name in names {
                guard let value = LinkText.removing(name, from: pair) else { continue }
                // A value that has a slash or a question mark was cut at it.
                let start = value.startIndex
                let end = text[start...].firstIndex(of: UInt8(ascii: "&")) ?? text.endIndex
                return LinkText.decode(text[start..<end]).map(fault)
            }
        }
        return nil
    }

    /// Why a text is no return address, in lower case.
    static func fault(of address: String) -> String {
        guard !address.isEmpty else { return "it is empty" }
        let scheme = address.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard let name = SchemeGrammar.lowercased(Bytes(scheme).span), scheme.count <= 64 else {
            return "an app's scheme begins with a letter and has only letters, digits, '+', '-' "
                + "and '.'"
        }
        if scheme.count < 2 { return "a scheme has two letters or more" }
        if let reason = RefusedSchemes.reason(against: name) {
            return "the scheme '\(name)' is refused: \(reason)"
        }
        return "it may have a host and a path of plain characters, and no user, port or fragment"
    }
}
