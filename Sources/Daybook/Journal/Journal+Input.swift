import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Journal {
    /// An input, before it is written.
    struct Input {
        enum Request {
            case none
            /// The input is the request's first event.
            case own
            case at(RequestID)
        }

        /// What is written, given what was written before it.
        let payload: (borrowing LogTransaction) throws -> Payload
        let request: Request
        let actor: Actor
        /// Inputs that the same commit must hold, given what followed from this one and the state
        /// after it.
        ///
        /// If it throws, nothing of this task is written.
        let companions: (State, [Outcome]) throws -> [Input]

        enum Actor { case frontEnd, node, keystore }

        init(
            _ payload: Payload, request: Request = .none, actor: Actor = .frontEnd,
            with companions: @escaping (State, [Outcome]) throws -> [Input] = { _, _ in [] }
        ) {
            self.payload = { _ in payload }
            self.request = request
            self.actor = actor
            self.companions = companions
        }

        /// A checkpoint of the log as it is just before the checkpoint's own event.
        init(
            checkpoint make: @escaping (State, _ head: TreeHead, _ streams: Bytes) throws
                -> CheckpointMade
        ) {
            payload = { log in
                try .checkpointMade(make(log.state, log.head(), log.streamsDigest()))
            }
            (request, actor) = (.none, .frontEnd)
            companions = { _, _ in [] }
        }
    }
}
