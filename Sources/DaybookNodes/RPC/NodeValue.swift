import DaybookChains
import DaybookEncoding

/// A JSON value of a node's answer with its path; reading it checks its type.
struct NodeValue {
    let json: JSON
    /// The path of the value, such as `getblockchaininfo.blocks`.
    let path: String

    /// The result of a call.
    init(_ json: JSON, of call: String) {
        self.json = json
        path = call
    }

    private init(_ json: JSON, at path: String) {
        self.json = json
        self.path = path
    }

    // MARK: - Members

    /// A member of an object; nil if it is absent or null.
    func optional(_ name: String) throws(ChainFailure) -> NodeValue? {
        guard case .object = json else { throw wrong("an object") }
        guard let member = json[name], !member.isNull else { return nil }
        return NodeValue(member, at: "\(path).\(name)")
    }

    /// A member of an object; throws if it is absent.
    func member(_ name: String) throws(ChainFailure) -> NodeValue {
        guard let member = try optional(name) else { throw wrong("an object with \(name)") }
        return member
    }

    /// The values of an array.
    var elements: [NodeValue] {
        get throws(ChainFailure) {
            guard let values = json.arrayValue else { throw wrong("an array") }
            let path = "\(path)[]"
            return values.map { NodeValue($0, at: path) }
        }
    }

    // MARK: - Values

    var text: String {
        get throws(ChainFailure) {
            guard let text = json.stringValue else { throw wrong("a text") }
            return text
        }
    }

    var flag: Bool {
        get throws(ChainFailure) {
            guard let flag = json.boolValue else { throw wrong("true or false") }
            return flag
        }
    }

    /// An integer, however JSON writes it: `1000`, `1e3` and `1000.0` are the same.
    var integer: Int64? { json.intValue ?? json.number?.integer }

    /// A number of blocks, at most 2^31 - 1 as in the nodes, so that sums can't overflow.
    var height: UInt64 {
        get throws(ChainFailure) {
            guard let number = integer, (0...Int64(Int32.max)).contains(number)
            else { throw wrong("a number of blocks") }
            return UInt64(number)
        }
    }

    /// The id of a transaction or block.
    var id: TransactionID {
        get throws(ChainFailure) {
            guard let id = json.stringValue.flatMap({ TransactionID(hex: $0) })
            else { throw wrong("an id of 64 digits") }
            return id
        }
    }

    /// The failure of a value that has the wrong type or content.
    func wrong(_ expected: String) -> ChainFailure {
        ChainFailure(.invalidAnswer, "\(path) is not \(expected)")
    }
}

/// Makes a node's text safe to show and to record.
package enum NodeText {
    /// The most bytes of a quoted text, without the ellipsis.
    package static let maximumBytes = 200

    /// The text, escaped and shortened.
    package static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            let next = Text.escaped(String(scalar))
            guard quoted.utf8.count + next.utf8.count <= maximumBytes else { return quoted + "…" }
            quoted += next
        }
        return quoted
    }
}
