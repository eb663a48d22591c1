import DaybookChains
import DaybookDomain
import DaybookEncoding

/// A node of one chain and network, real or embedded: answers questions, takes transactions.
///
/// It returns plain values and records nothing; what it says counts only once it is an event.
protocol ChainClient: Sendable {
    /// What the chain has of what is asked for, in full.
    func observe(_ question: ChainQuestion) async throws(ChainFailure) -> ChainObserved

    /// Sends a signed transaction. Sending the same bytes again is harmless.
    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered
}

/// What a wallet wants to know.
struct ChainQuestion: Equatable, Sendable {
    /// Dash, Axe: the scripts whose outputs are asked for.
    var scripts: [Bytes] = []
    /// ICON: the addresses whose balances are asked for.
    var addresses: [String] = []
    /// ICON: the token contracts whose names and balances are asked for.
    var tokens: [String] = []
    /// The ids of transactions whose fate is open, as displayed.
    var transactions: [Bytes] = []
    /// ICON: a transaction without step limit whose steps are to be estimated.
    var estimate: JSON?
}

/// Why a node gave no usable answer: one of our own words for the log, and the story for people.
struct ChainFailure: Error, Equatable, Sendable {
    let reason: String
    let message: String
}
