/// What was found out about how a node's server wants to be asked, for all calls of a client.
actor RPCManners {
    private var last: UInt64 = 0
    private(set) var callsPerRequest: Int
    private(set) var requestsAtOnce = 4

    init(_ dialect: RPCDialect) {
        callsPerRequest = dialect.callsPerRequest
    }

    /// Numbers for so many calls, so that no answer is taken for another's.
    func numbers(_ count: Int) -> [UInt64] {
        defer { last += UInt64(count) }
        return (1...UInt64(count)).map { last + $0 }
    }

    /// Notes that a request of so many calls was too much.
    func tooMany(_ calls: Int) {
        callsPerRequest = min(callsPerRequest, max(1, calls / 2))
    }

    /// Notes that only one call is taken at a time.
    func refusesBatches() { callsPerRequest = 1 }

    /// Notes that the server has too much to do.
    func isBusy() { requestsAtOnce = 1 }
}
