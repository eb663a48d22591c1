import DaybookChains
import DaybookDomain
import DaybookEncoding

/// A prompt: named lines, escaped for display, and the digest that an approval is bound to.
public struct PromptText: Codable, Hashable, Sendable {
    /// A line's fixed name and its text.
    public struct Line: Codable, Hashable, Sendable {
        /// The line's fixed name, such as `amount`.
        public let name: String
        /// The text to show, safe to print.
        public let text: String

        /// A line of a prompt.
        public init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// All lines that the user must see, in order.
    public let lines: [Line]
    /// The digest that an approval of these lines names.
    public let digest: PromptDigest

    /// A prompt for previews and tests of a front end.
    public init(lines: [Line], digest: PromptDigest) {
        self.lines = lines
        self.digest = digest
    }

    /// The text of the line with this name.
    public subscript(name: String) -> String? {
        lines.first { Text.equal($0.name, name) }?.text
    }

    init(_ prompt: Prompt) {
        lines = prompt.lines.map { Line(name: $0.name, text: $0.text) }
        digest = PromptDigest(prompt.digest)
    }
}

/// SHA-256 of a prompt: an approval names it, so that what was not shown can't be approved.
///
/// It is 64 hex digits as text and in JSON.
public struct PromptDigest: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// A digest from 64 hex digits; nil if the text is anything else.
    public init?(hex: String) {
        guard let bytes = Hex.decode(hex), bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    init(_ digest: [UInt8]) {
        precondition(digest.count == Self.size, "a prompt's digest is SHA-256")
        bytes = digest
    }

    /// Decodes the hex digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = PromptDigest(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a prompt's digest has 64 hex digits")
        }
        self = digest
    }

    /// Encodes the hex digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The 64 hex digits.
    public var description: String { Hex.encode(bytes) }

    private static var size: Int { 32 }
}
