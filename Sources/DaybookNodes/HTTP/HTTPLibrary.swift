internal import CCurl

/// libcurl as a whole.
package enum HTTPLibrary {
    /// libcurl's version and that of what it was built with, as it says itself.
    package static var version: String {
        guard let text = unsafe curl_version() else { return "" }
        return unsafe String(cString: text)
    }

    /// Makes the library ready, once per process, whichever threads ask first.
    static func start() {
        _ = started
    }

    /// Swift runs a static's initial value once and lets other threads wait for it.
    private static let started: Void = {
        let code = curl_global_init(daybook_curl_global_default)
        precondition(code == CURLE_OK, "libcurl fails to start only without memory")
    }()
}
