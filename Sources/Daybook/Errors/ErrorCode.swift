import DaybookDomain
import DaybookSystem

extension DaybookError {
    /// The stable name of an error or refusal; later versions may have further ones.
    ///
    /// The known ones are static properties: `error.code == .wrongPassphrase`.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The name as commands and JSON have it.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        init(_ name: String) { self.init(rawValue: name) }
    }
}

extension DaybookError.Code: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The name.
    public var description: String { rawValue }

    /// A code by its name, for one that this version does not know.
    public init(stringLiteral name: String) { self.init(rawValue: name) }
}

extension DaybookError.Code {
    init(_ refusal: Refusal.Code) { self.init(rawValue: refusal.rawValue) }

    /// The code of a system call's failure; `other` if it is none of those with a name.
    init(_ error: Errno, or other: DaybookError.Code = .systemError) {
        self = error.reason.map { DaybookError.Code(rawValue: $0) } ?? other
    }
}
