/// Why a transaction that is in a block did not do what it was for; its fee is charged anyway.
package struct ICONFailure: Error, Hashable, Sendable {
    /// The result's failure code, such as 0xa.
    package let code: UInt64
    /// The result's failure text.
    package let message: String
    /// What the node says where it need not be as brief: in the answer to an estimation.
    let reason: String

    init(code: UInt64, message: String, reason: String? = nil) {
        self.code = code
        self.message = message
        self.reason = reason ?? message
    }

    static let contractNotFound = ICONFailure(
        code: 0x2, message: "ContractNotFound", reason: "NotAContractAccount")
    static let methodNotPayable = ICONFailure(code: 0x4, message: "MethodNotPayable")
    static let outOfStep = ICONFailure(code: 0xa, message: "OutOfStep")
    static let outOfBalance = ICONFailure(code: 0xb, message: "OutOfBalance")

    static func methodNotFound(_ reason: String? = nil) -> ICONFailure {
        ICONFailure(code: 0x3, message: "MethodNotFound", reason: reason)
    }

    static func invalidParameter(_ reason: String) -> ICONFailure {
        ICONFailure(code: 0x6, message: "InvalidParameter", reason: reason)
    }

    static func reverted(_ number: UInt64, _ reason: String) -> ICONFailure {
        ICONFailure(code: 0x20 + number, message: "Reverted(\(number))", reason: reason)
    }
}
