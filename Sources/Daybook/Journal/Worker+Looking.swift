import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem

extension Worker {
    /// Looks at everything that the wallets of a chain and network want to know.
    ///
    /// Payments to the last derived addresses make more of them, which are looked at in turn, but
    /// only so many in one look: true if there are more, at which the next look goes on.
    /// `tokens` are contracts of which the wallets may hold something for the first time. `reply`
    /// is what the chain just said to a transaction; the look's first commit records it too.
    @discardableResult
    func look(
        _ chain: Chain, _ network: Network, tokens: [String] = [],
        recording reply: SendReply? = nil, progress: ChainProgress? = nil
    ) async throws -> Bool {
        guard let client = try nodes.client(chain, network) else { return false }
        let looks = activeRequests.looks(at: ChainID(chain, network))
        do {
            return try await looks.join((tokens, reply, progress)) { looks in
                await look(chain, network, client, for: looks)
            }.get()
        } catch is CancellationError where !Task.isCancelled {
            return try await look(
                chain, network, tokens: tokens, recording: reply, progress: progress)
        }
    }

    /// Looks once for all who wait for it; the first of them does it.
    private func look(
        _ chain: Chain, _ network: Network, _ client: any ChainClient,
        for looks: [ActiveRequests.Look]
    ) async -> [Result<Bool, any Error>] {
        do {
            let hearing = looks.compactMap(\.progress)
            let tokens = looks.flatMap(\.tokens)
            let replies = looks.compactMap(\.reply)
            let isMoreLeft = try await look(
                chain, network, client, tokens: tokens, replies
            ) { done, all in
                for progress in hearing { progress(done, all) }
            }
            return looks.map { _ in .success(isMoreLeft) }
        } catch {
            // What fails because its task gave up says nothing to the others: they look again.
            let others: any Error = Task.isCancelled ? CancellationError() : error
            return looks.indices.map { .failure($0 == 0 ? error : others) }
        }
    }

    private func look(
        _ chain: Chain, _ network: Network, _ client: any ChainClient, tokens: [String],
        _ replies: [SendReply], progress: @escaping ChainProgress
    ) async throws -> Bool {
        let start = clock()
        var replies = replies
        var (rounds, overtaken) = (0, 0)
        var asked: ChainQuery.Subjects?
        while true {
            let known = try journal.read { ChainQuery(chain, network, in: $0) }
            var question = known
            question.tokens += tokens.filter { !question.tokens.contains($0) }
            // These are followed from the commit on that records what the chain said to them.
            question.transactions += replies.map(\.txid)
            if let asked, question.subjects.areAmong(asked) { return false }
            let now = clock()
            if rounds == Self.mostRounds || now > start + Self.longestLook { return true }
            rounds += 1
            // An embedded chain is ours, and tells all at once.
            if network != .sandbox { question.skipUnused(asked: asked) }
            let sending = HeldSendLocks(sendLocks)
            defer { sending.end() }
            let answer = try await wholeAnswer(of: client, to: question, known, sending, progress)
            probe?("looked")
            let isNews = try await record(answer, ifStill: known, after: replies) { state, now in
                answer.changes(from: state, forRequest: false, at: now)
            }
            if !replies.isEmpty { probe?("answer recorded") }
            replies = []
            if isNews {
                let subjects = question.subjects.adding(scripts: answer.ahead)
                asked = asked?.adding(subjects) ?? subjects
                probe?("news recorded")
                if answer.isCutShort { return true }
            } else {
                overtaken += 1
                guard overtaken < Self.mostOvertaken else { throw Self.overtaken }
            }
        }
    }

    /// A round finds the payments to at most 20 addresses more of each branch: a node that makes up
    /// payments to all that come must not keep the look going.
    private static let mostRounds = 30
    /// No round begins later than this, in microseconds.
    private static let longestLook: UInt64 = 120_000_000

    /// Records what is new of an answer; false if it was overtaken.
    ///
    /// What the chain said to transactions before it was asked is recorded first, in the same
    /// commit, also where the answer was overtaken or does not know one of them.
    ///
    /// An answer is compared with the state that its question was made from. Where another process
    /// has recorded a newer answer or sent a payment meanwhile, an older one would undo that: what
    /// is not in it would seem to be gone.
    func record(
        _ answer: ChainSnapshot, ifStill known: ChainQuery, after replies: [SendReply] = [],
        request: RequestID? = nil,
        _ news: @escaping @Sendable (State, _ now: UInt64) -> [ChainObserved]
    ) async throws -> Bool {
        let isNews = Monitor(true)
        try await journal.record { state, now in
            let isOvertaken =
                !Self.isStill(known, answer, state)
                || !answer.names(replies.map(\.txid))
            isNews.change { $0 = !isOvertaken }
            // What is found makes addresses ours of which the answer knows more: each time, twenty.
            var left = answer.ahead.count
            func seen(_ state: State) -> [Journal.Input] {
                if isOvertaken { return [] }
                let news = news(state, now)
                return news.enumerated().map { index, data in
                    .init(
                        .chainObserved(data), request: request.map { .at($0) } ?? .none,
                        actor: .node,
                        with: { state, _ in
                            guard index == news.count - 1, left > 0 else { return [] }
                            left -= 1
                            return seen(state)
                        })
                }
            }
            let replies = replies.filter { $0.isOpen(in: state) }
            guard let last = replies.last else { return seen(state) }
            // What is new is new to the state in which the last reply is on record.
            return replies.dropLast().map { $0.input() } + [last.input { state, _ in seen(state) }]
        }
        return isNews.change { $0 }
    }

    /// So often in a row another process may be faster.
    static let mostOvertaken = 10

    static var overtaken: ChainFailure {
        ChainFailure(
            .unsettled,
            "other looks at the chain were recorded during each of \(mostOvertaken) attempts")
    }

    /// What a node answers, after it was given again what it lacks of our own transactions.
    ///
    /// They are sent together, each behind those that it spends, and the chain is looked at once
    /// afterwards. That can bring a coin to sight that another one spends, which is sent then. What
    /// somebody else sends just now, or has recorded something of meanwhile, is left alone.
    private func wholeAnswer(
        of client: any ChainClient, to question: ChainQuery, _ known: ChainQuery,
        _ sending: HeldSendLocks, _ progress: ChainProgress?
    ) async throws -> ChainSnapshot {
        var signed: [Bytes: TransactionSigned] = [:]
        var replies: [Bytes: BroadcastAnswered.Answer] = [:]
        while true {
            var answer = try await client.observe(question, progress: progress)
            let (unproven, missing) = try journal.read {
                (answer.unprovenSpend(in: $0), answer.missing(in: $0, to: question))
            }
            if let unproven { throw ChainFailure(unproven: unproven) }
            for transaction in missing where signed[transaction.txid] == nil {
                signed[transaction.txid] = try journal.signed(
                    by: transaction.request, transaction.txid)
            }
            let due = try missing.filter { transaction in
                try replies[transaction.txid] == nil && sending.take(of: transaction.request)
            }.compactMap { signed[$0.txid] }
            let sent = try await sendAgain(due, to: client, ifStill: known, after: answer)
            for transaction in missing {
                guard let reply = sent[transaction.txid] else { continue }
                activeRequests.note(reply, of: transaction.request)
                replies[transaction.txid] = reply.answer
            }
            if sent.values.contains(where: { $0.answer == .accepted }) { continue }
            for transaction in missing {
                guard let signed = signed[transaction.txid] else { continue }
                let isExcluded = try journal.read { answer.excludes(signed, in: $0) }
                if replies[transaction.txid] == .refused || isExcluded {
                    answer.drop(transaction)
                } else {
                    answer.hold(signed)
                }
            }
            return answer
        }
    }

    /// Sends transactions again, and tells by their ids what the node says to each.
    private func sendAgain(
        _ due: [TransactionSigned], to client: any ChainClient, ifStill known: ChainQuery,
        after answer: ChainSnapshot
    ) async throws -> [Bytes: BroadcastAnswered] {
        guard !due.isEmpty, try journal.read({ Self.isStill(known, answer, $0) }) else {
            return [:]
        }
        let ordered = due.parentsFirst
        let answers = await client.broadcast(ordered.map(\.outgoing))
        probe?("sent again")
        return Dictionary(
            zip(ordered.map(\.txid), answers), uniquingKeysWith: { first, _ in first })
    }

    /// Whether nothing was recorded that changes what an answer's question was made from.
    static func isStill(
        _ known: ChainQuery, _ answer: ChainSnapshot, _ state: State
    ) -> Bool {
        ChainQuery(answer.chain, answer.network, in: state) == known
    }
}
