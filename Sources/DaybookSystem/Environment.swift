internal import Glibc

/// The variables that the program was started with.
package enum Environment {
    /// The value of a variable; nil if it is not set or not UTF-8.
    package static func value(_ name: String) -> String? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: text)
    }
}
