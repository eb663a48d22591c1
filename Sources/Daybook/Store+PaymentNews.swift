import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Store {
    /// What became of payments since the log had so many events, and what nodes said meanwhile.
    func paymentNews(
        after count: UInt64, _ answers: [RequestID: BroadcastAnswered]
    ) throws -> [PaymentNews] {
        var kinds = answers.mapValues { answer -> PaymentNews.Kind in
            answer.answer == .accepted ? .sentAgain : .notTaken
        }
        var next = count
        while true {
            let records = try journal.log.read { try $0.records(from: next, limit: Self.page) }
            guard let last = records.last else { break }
            next = last.position + 1
            for record in records where Self.newsTypes.contains(record.type) {
                guard let event = try Recording.event(record), let id = event.request,
                    let kind = try kind(of: event, id)
                else { continue }
                kinds[id] = kind
            }
        }
        return try kinds.keys.sorted().compactMap { id in
            guard let kind = kinds[id] else { return nil }
            return PaymentNews(kind: kind, request: try view(id, readsEvents: true))
        }
    }

    /// So many events are looked through at once.
    private static var page: Int { 500 }

    /// Only these events are decoded.
    private static var newsTypes: Set<String> {
        [
            TransactionSent.type, TransactionFailed.type, TransactionDropped.type,
            TransactionReorganised.type, TransactionConfirmed.type, RequestCancelled.type,
        ]
    }

    private func kind(of event: Event, _ id: RequestID) throws -> PaymentNews.Kind? {
        switch event.payload {
        case .transactionSent: .sent
        case .transactionFailed: .failed
        case .transactionDropped: .lost
        case .requestCancelled: .cancelled
        case .transactionReorganised: .reorganised
        case .transactionConfirmed(let data) where data.failure != nil: .lost
        case .transactionConfirmed:
            try journal.course(of: id).wasGivenUp ? .executed : nil
        default: nil
        }
    }

    /// Records what nodes said to payments that they had been given before, where that is news.
    ///
    /// Nothing follows from it: it says why a payment that a mempool forgot is not taken again.
    func recordSentAgain(_ answers: [RequestID: BroadcastAnswered]) async throws {
        let news = try answers.sorted { $0.key < $1.key }.filter { id, answer in
            switch answer.answer {
            case .accepted: try journal.course(of: id).answer != nil
            case .refused: false
            case .unknown: try !journal.isOld(answer, of: id)
            }
        }
        if news.isEmpty { return }
        try await journal.record { state, _ in
            news.compactMap { id, answer in
                guard let row = state.request(id), row.status == .completed || row.status == .sent,
                    state.loss(of: row) == nil
                else { return nil }
                return .init(.broadcastAnswered(answer), request: .at(id), actor: .node)
            }
        }
    }
}
