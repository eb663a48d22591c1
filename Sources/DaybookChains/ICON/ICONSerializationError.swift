/// A value that has no place in a transaction, and where it stands.
package struct ICONSerializationError: Error, Equatable, CustomStringConvertible {
    /// What stands there.
    package enum Found: String, Sendable {
        case noObject = "params that are no object"
        case boolean = "a boolean"
        case number = "a number that is not exact"
    }

    /// Where it stands, such as `.data.params.a`.
    package let path: String
    /// What stands there.
    package let found: Found

    init(path: String, found: Found) {
        self.path = String(path.prefix(64))
        self.found = found
    }

    /// The place and what stands there, for people.
    /// The same error, named from a place around it.
    func within(_ place: String) -> ICONSerializationError {
        ICONSerializationError(path: place + path, found: found)
    }

    package var description: String { "\(path): \(found.rawValue) cannot be signed" }
}
