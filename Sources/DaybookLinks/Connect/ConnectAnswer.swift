import DaybookDomain
import DaybookEncoding

/// The encoding of an answer into the caller's URL, the same in both forms of Connect.
enum ConnectAnswer {
    /// The caller's URL with the object in base64; only `=` is escaped.
    static func url(_ caller: Caller, _ object: JSON) -> String {
        let data = Base64.encode(Bytes(object.text().utf8))
        let escaped = data.split(separator: "=", omittingEmptySubsequences: false)
            .joined(separator: "%3D")
        return "\(caller.prefix)?data=\(escaped)"
    }
}
