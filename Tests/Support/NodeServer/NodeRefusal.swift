import DaybookChains
import DaybookEncoding
import DaybookNodes

/// A node's no, in the words of its JSON-RPC.
package struct NodeRefusal: Error, Sendable {
    var code: Int
    var message: String
    /// The data that goloop adds to some.
    var data: JSON?

    package init(_ code: Int, _ message: String, data: JSON? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    init(_ refusal: UTXORefusal) { self.init(refusal.code, refusal.message) }

    init(_ refusal: ICONRefusal) { self.init(refusal.code, refusal.message) }

    var json: JSON {
        .record(["code": .int(code), "message": .string(message), "data": data])
    }
}

/// Thrown where a node says nothing at all.
struct Silence: Error {}
