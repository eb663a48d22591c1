/// A node's no: a JSON-RPC error's code and text, as Dash Core 21.1.1 or Axe Core 1.6.1.1 has it.
package struct UTXORefusal: Error, Hashable, Sendable {
    /// The JSON-RPC error's code.
    package let code: Int
    /// The JSON-RPC error's text.
    package let message: String

    /// A refusal with any code and text.
    package init(code: Int, message: String) {
        self.code = code
        self.message = message
    }
}
