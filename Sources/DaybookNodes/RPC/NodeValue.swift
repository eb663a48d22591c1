import DaybookChains
import DaybookEncoding

/// A value in a node's answer, whose shape is checked as it is read.
struct NodeValue {
    let json: JSON
    /// Where the value stands, such as `getblockchaininfo.blocks`.
    let place: String

    /// The result of a call.
    init(_ json: JSON, of call: String) {
        self.json = json
        place = call
    }

    private init(_ json: JSON, at place: String) {
        self.json = json
        self.place = place
    }

    // MARK: - Members

    /// What an object holds under a name; nil if it has no such member.
    func optional(_ name: String) throws(ChainFailure) -> NodeValue? {
        guard case .object = json else { throw wrong("an object") }
        return json[name].map { NodeValue($0, at: "\(place).\(name)") }
    }

    /// What an object holds under a name.
    func member(_ name: String) throws(ChainFailure) -> NodeValue {
        guard let member = try optional(name) else { throw wrong("an object with \(name)") }
        return member
    }

    /// The values of an array.
    var elements: [NodeValue] {
        get throws(ChainFailure) {
            guard let values = json.arrayValue else { throw wrong("an array") }
            let place = "\(place)[]"
            return values.map { NodeValue($0, at: place) }
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

    /// A count of blocks: nodes keep it in 32 bits, and so nothing overflows that adds to it.
    var height: UInt64 {
        get throws(ChainFailure) {
            guard let number = json.intValue, (0...Int64(Int32.max)).contains(number)
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

    /// That the value is not what it has to be.
    func wrong(_ expected: String) -> ChainFailure {
        ChainFailure(.invalidAnswer, "\(place) is not \(expected)")
    }
}

/// Text that a node wrote, made fit to be shown and recorded.
enum NodeText {
    /// No more bytes of it are kept.
    static let longest = 200

    /// The text escaped and cut.
    static func quoted(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars {
            let next = Text.escaped(String(scalar))
            guard quoted.utf8.count + next.utf8.count <= longest else { return quoted + "…" }
            quoted += next
        }
        return quoted
    }
}
