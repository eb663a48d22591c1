package import DaybookEncoding

/// Something that a contract reported while a transaction ran.
package struct ICONEventLog: Hashable, Sendable {
    /// The contract that reported it.
    package let contract: ICONAddress
    /// The event's signature, such as `Transfer(Address,Address,int,bytes)`.
    package let signature: String
    /// The arguments: first those that nodes index, then the others; nil stands for null.
    package let arguments: [String?]

    /// An event of its parts.
    package init(contract: ICONAddress, signature: String, arguments: [String?]) {
        self.contract = contract
        self.signature = signature
        self.arguments = arguments
    }

    /// An event from one member of a result's `eventLogs`; nil when it has not that form.
    package init?(_ answer: JSON) {
        guard let text = answer["scoreAddress"]?.stringValue, let contract = ICONAddress(text),
            let indexed = answer["indexed"]?.arrayValue, let data = answer["data"]?.arrayValue,
            let signature = indexed.first?.stringValue
        else { return nil }
        var arguments: [String?] = []
        for value in indexed.dropFirst() + data {
            switch value {
            case .null: arguments.append(nil)
            case .string(let text): arguments.append(text)
            case .bool, .number, .array, .object: return nil
            }
        }
        self.init(contract: contract, signature: signature, arguments: arguments)
    }
}
