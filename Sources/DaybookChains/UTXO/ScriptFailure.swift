/// Why an input may not spend its output.
package struct ScriptFailure: Hashable, Sendable {
    /// What is wrong, in the words of Dash Core and Axe Core (`script_error.cpp`).
    package enum Reason: String, Hashable, Sendable {
        case stack = "Operation not valid with the current stack size"
        case pushSize = "Data push larger than necessary"
        case equalVerify = "Script failed an OP_EQUALVERIFY operation"
        case foundInScript = "Signature is found in scriptCode"
        case signatureEncoding = "Non-canonical DER signature"
        case highS = "Non-canonical signature: S value is unnecessarily high"
        case hashType = "Signature hash type missing or not understood"
        case keyEncoding = "Public key is neither compressed or uncompressed"
        case nullFail = "Signature must be zero for failed CHECK(MULTI)SIG operation"
        case evaluatedFalse =
            "Script evaluated without error but finished with a false/empty top stack element"
        case cleanStack = "Stack size must be exactly one after execution"
        /// Ours: a script that we do not run, though a node might.
        case unsupported = "unsupported script"
    }

    /// What is wrong.
    package let reason: Reason
    /// Whether blocks may not hold such an input either; otherwise only relaying is refused.
    package let isMandatory: Bool

    init(_ reason: Reason, isMandatory: Bool = true) {
        self.reason = reason
        self.isMandatory = isMandatory
    }
}
