package import DaybookEncoding

/// Why bytes are not an event.
package enum EventRecordError: Error, Equatable, Sendable {
    /// There are more bytes than an event may have.
    case tooLarge(bytes: Int)
    /// The bytes are not the one spelling of a value.
    case notCanonical(CBORError)
    /// A newer program wrote the envelope.
    case formatTooNew(found: UInt64)
    /// A field is missing, of a wrong type, or out of its range.
    case badField(String)
}

extension EventRecordError: CustomStringConvertible {
    /// One line in lower case, without anything of the event's content.
    package var description: String {
        switch self {
        case .tooLarge(let bytes): "the event has \(bytes) bytes"
        case .notCanonical(let error): "\(error)"
        case .formatTooNew(let found): "event format \(found) is not known"
        case .badField(let name): "the event's \(name) is not what it must be"
        }
    }
}
