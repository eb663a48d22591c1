package import DaybookEncoding

/// Carries a request's body to a node's server and brings back what that answers.
package protocol RPCTransport: Sendable {
    /// Posts a JSON body; any status is an answer.
    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPAnswer
}

extension HTTPClient: RPCTransport {
    package func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPAnswer {
        try await post(body, contentType: "application/json")
    }
}
