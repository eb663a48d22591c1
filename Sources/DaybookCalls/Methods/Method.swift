import Daybook
import DaybookEncoding

/// A method that front ends call by its name: its parameters, its purpose and its action.
///
/// The same table serves all doors: socket, page, pipe and C.
package struct Method: Sendable {
    /// The name, such as `request.open`.
    package let name: String
    package let parameters: [Parameter]
    /// What it does, in one line.
    package let summary: String
    /// Whether it is about the caller's connection, and needs no log.
    let isOfConnection: Bool
    /// Performs the call and returns its result.
    let run: @Sendable (Call) async throws -> JSON

    init(
        _ name: String, _ parameters: [Parameter] = [], does summary: String,
        isOfConnection: Bool = false, run: @escaping @Sendable (Call) async throws -> JSON
    ) {
        self.name = name
        self.parameters = parameters
        self.summary = summary
        self.isOfConnection = isOfConnection
        self.run = run
    }

    /// All methods, in the order in which they are documented.
    package static let all: [Method] = [
        .info,
        .walletList, .walletAdd, .walletRename, .walletRemove, .walletPassphrase,
        .walletAddress, .unlock, .lock,
        .coinList, .coinFreeze, .coinUnfreeze,
        .requestOpen, .requestList, .requestShow, .requestPrompt, .requestApprove, .requestReject,
        .requestBump, .requestCancel, .paymentList,
        .callbackList, .callbackDelivered,
        .balanceList, .bindingList, .historyList,
        .nodeList, .nodeCheck, .nodeSet, .nodeRemove, .sync,
        .logRead, .logCheckpoint, .logVerify,
        .subscribe, .unsubscribe, .pageAddress,
        .sandboxFund, .sandboxMine,
    ]

    /// The method with this name.
    static func named(_ name: String) -> Method? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// A parameter of a method.
package struct Parameter: Sendable {
    package let name: String
    package let kind: Kind
    package let isRequired: Bool

    /// The JSON values that a parameter takes.
    package enum Kind: String, Sendable {
        case text, number, flag, texts, object
        /// The position of an event, or -1 for the time before the first.
        case position
        /// A wallet's id, or its label.
        case wallet
        /// A decimal amount of whole coins, as text.
        case amount
        /// A text that is wiped after use.
        case secret
    }

    init(_ name: String, _ kind: Kind, required: Bool = true) {
        self.name = name
        self.kind = kind
        isRequired = required
    }

    static func optional(_ name: String, _ kind: Kind) -> Parameter {
        Parameter(name, kind, required: false)
    }
}

/// A call of a method: the store, the arguments, and the connection that it came by.
struct Call: Sendable {
    /// The front of the store; nil for a call about the connection alone.
    let found: Front?
    let arguments: Arguments
    /// Where notifications go; nil on doors without them.
    let connection: RPCConnection?
    /// The id of the call, which its `progress` notifications name.
    let id: JSON?
    let reply: CallReply

    var front: Front {
        guard let found else { preconditionFailure("a method about a store is given its front") }
        return found
    }

    var store: Store { front.store }

    /// Sends a `progress` notification; nil on doors without notifications.
    var progress: (@Sendable (_ values: JSON) -> Void)? {
        guard let connection else { return nil }
        return { [id] values in
            let params = JSON.object(
                [.init(name: "id", value: id ?? .null)] + (values.objectValue ?? []))
            _ = connection.notify("progress", params)
        }
    }
}
