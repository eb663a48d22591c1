import DaybookEncoding

/// One JSON-RPC call, out of a request's body.
struct Call {
    var method: String
    var params: JSON?
    /// Nil where the request has none.
    var id: JSON?
    /// Where it came to, such as /api/v3d.
    var path: String
}
