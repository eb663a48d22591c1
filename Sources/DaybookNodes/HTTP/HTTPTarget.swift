/// A server to ask, and how to be let in.
package struct HTTPTarget: Equatable, Sendable {
    /// The address, `http:` or `https:`, without user, password and fragment.
    package var url: String
    /// The user for basic authentication; without user and password none is tried.
    package var user: String?
    /// The password, as bytes.
    package var password: [UInt8]?
    /// A PEM file of the issuers to trust instead of the system's.
    package var certificates: String?

    /// A target of its parts.
    package init(
        url: String, user: String? = nil, password: [UInt8]? = nil, certificates: String? = nil
    ) {
        self.url = url
        self.user = user
        self.password = password
        self.certificates = certificates
    }
}

extension HTTPTarget: CustomStringConvertible {
    /// The address alone: credentials are never printed.
    package var description: String { url }
}
