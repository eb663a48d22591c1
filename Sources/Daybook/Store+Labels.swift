import DaybookChains
import DaybookDomain
import DaybookEncoding

/// Labels of wallets, addresses, transactions, outputs, requests and senders.
extension Store {
    /// The label of a thing; nil if it has none.
    ///
    /// - Throws: `unknownWallet`, `unknownRequest`.
    public func label(of target: LabelTarget) throws(DaybookError) -> String? {
        try convertingErrors {
            try journal.read { state in
                try state.check(target)
                return state.label(of: target)
            }
        }
    }

    /// All labels, a page at a time; wallets come last.
    public func labels(
        after: LabelTarget? = nil, limit: Int = 100
    ) throws(DaybookError) -> LabelPage {
        try convertingErrors {
            try journal.read { state in
                let size = min(max(limit, 1), RequestScan.limit)
                var labels: [Label] = []
                state.walkLabels(after: after) { label in
                    labels.append(label)
                    return labels.count <= size
                }
                let page = Array(labels.prefix(size))
                return LabelPage(labels: page, next: labels.count > size ? page.last?.about : nil)
            }
        }
    }

    /// Gives things labels, or takes them away; of all or, after an error, of none.
    ///
    /// A label has at most 255 bytes; a wallet's, which prompts show, at most 64.
    ///
    /// - Throws: `labelTooLong`, `unknownWallet`, `unknownRequest`.
    public func set(_ labels: [Label]) async throws(DaybookError) {
        try await convertingErrors {
            for label in labels { try label.checkLength() }
            try await journal.record { state, _, _ in
                try labels.forEach { try state.check($0.about) }
                return Self.inputs(labels, state)
            }
        }
    }

    /// Takes in the labels of a file by BIP 329, all or, after an error, none.
    ///
    /// It has a JSON object a line. Lines about keys, inputs, other chains' addresses and wallets
    /// that this store does not have are passed over.
    ///
    /// - Throws: `invalidLabelFile` with the line's number, `labelTooLong`, `fileTooLarge`.
    public func importLabels(_ file: [UInt8]) async throws(DaybookError) -> LabelTransfer {
        try Self.check(file, of: "labels", upTo: Self.largestLabelFile)
        let lines = try LabelFile.lines(in: file)
        let owners = try convertingErrors { try journal.read { LabelFile.owners(in: $0) } }
        let labels = lines.compactMap { $0.label(owners) }
        try await set(labels)
        return LabelTransfer(labels: labels.count, passedOver: lines.count - labels.count)
    }

    /// The most bytes of a file of labels.
    public static let largestLabelFile = 16 << 20

    /// Throws if a file that is taken in is larger than its limit in bytes.
    static func check(
        _ file: [UInt8], of content: String, upTo limit: Int
    ) throws(DaybookError) {
        guard file.count <= limit else {
            throw DaybookError(
                "fileTooLarge", .usage, "a file of \(content) has at most \(limit >> 20) MiB")
        }
    }

    /// All labels as a file by BIP 329.
    ///
    /// A request's label goes with its transaction, unless that has one of its own. The format has
    /// no place for the labels of senders, of other requests, and of wallets with a single key.
    public func exportLabels() throws(DaybookError) -> (file: [UInt8], summary: LabelTransfer) {
        try convertingErrors {
            try journal.read { state in
                var lines: [JSON] = []
                var all = 0
                state.walkLabels(after: nil) { label in
                    all += 1
                    if let line = LabelFile.line(label, state) { lines.append(line) }
                    return true
                }
                let file = lines.map { $0.text(escapingHidden: true) + "\n" }.joined()
                return (
                    Array(file.utf8),
                    LabelTransfer(labels: lines.count, passedOver: all - lines.count)
                )
            }
        }
    }

    /// The inputs that give things labels; none for a thing that has its label already.
    private static func inputs(_ labels: [Label], _ state: State) -> [Journal.Input] {
        var wallets: [WalletID: String?] = [:]
        var others: [LabelSubject: String?] = [:]
        // Of several labels of one thing the last counts.
        for label in labels {
            switch label.about.thing {
            case .wallet(let id): wallets.updateValue(label.text, forKey: id)
            case .other(let subject): others.updateValue(label.text, forKey: subject)
            }
        }
        let renamed = wallets.sorted { $0.key < $1.key }.filter { id, text in
            !Text.areSame(state.label(of: id), text)
        }
        let changed = others.filter { subject, text in !Text.areSame(state.label(subject), text) }
            .map { (text: $0.key.text, label: LabelSet.Label($0.key, $0.value)) }
            .sorted { Text.precedes($0.text, $1.text) }.map(\.label)
        return renamed.map { .init(.walletRenamed(WalletRenamed(wallet: $0.key, label: $0.value))) }
            + EventParts.of(changed).map { .init(.labelSet(LabelSet($0))) }
    }
}

extension Text {
    /// Whether two texts that may be missing are the same bytes.
    fileprivate static func areSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return equal(left, right)
    }
}

/// Divides a list between events, each of which has a greatest size.
enum EventParts {
    /// The most bytes of a list in one event: a part of what an event can have.
    private static let most = 128 << 10

    /// The items in order, as many in a part as one event has room for.
    static func of<Item: Recorded>(_ items: [Item]) -> [[Item]] {
        var parts: [[Item]] = []
        var left = 0
        for item in items {
            let size = item.encoded().count
            if size > left || parts.isEmpty {
                parts.append([])
                left = most
            }
            parts[parts.count - 1].append(item)
            left -= size
        }
        return parts
    }
}

extension Label {
    /// Throws if the label is too long for its thing.
    func checkLength() throws(DaybookError) {
        let most =
            switch about.thing {
            case .wallet: Store.longestWalletLabel
            case .other: 255
            }
        guard (text ?? "").utf8.count <= most else {
            throw DaybookError(
                "labelTooLong", .usage, "the label of \(about) has more than \(most) bytes")
        }
    }
}

extension State {
    /// Throws if a target is a wallet or a request that does not exist.
    fileprivate func check(_ target: LabelTarget) throws(DaybookError) {
        switch target.thing {
        case .wallet(let id) where wallet(id) == nil:
            throw DaybookError("unknownWallet", .refused, "there is no such wallet")
        case .other(.request(let id)) where !requests.contains(id):
            throw DaybookError("unknownRequest", .refused, "there is no such request")
        case .wallet, .other: break
        }
    }

    fileprivate func label(of target: LabelTarget) -> String? {
        switch target.thing {
        case .wallet(let id): label(of: id)
        case .other(let subject): label(subject)
        }
    }

    /// Hands out the labels after a target until `body` says to stop.
    fileprivate func walkLabels(after: LabelTarget?, _ body: (Label) -> Bool) {
        var isOver = false
        func pass(_ target: LabelTarget, _ text: String) -> Bool {
            isOver = !body(Label(about: target, text: text))
            return !isOver
        }
        var last: WalletID?
        if case .wallet(let id)? = after?.thing { last = id } else {
            labels.walk(after: after.map { KeyText($0.description) }) { key, row in
                LabelSubject(key.text).map { pass(LabelTarget($0), row.text) } ?? true
            }
        }
        for (id, row) in wallets() where !isOver && last.map({ id > $0 }) ?? true {
            if let text = row.wallet.label { _ = pass(.wallet(id), text) }
        }
    }
}
