import DaybookChains
import DaybookDomain
import DaybookEncoding

extension Report {
    func writeBindings(_ page: inout Markup) throws {
        let lines = index.state.bindingLines()
        if lines.isEmpty {
            return page.element(.p, "No caller was told an address or a key.")
        }
        page.element(
            .p, "Callers name themselves: that one is who it says it is was not verified.")
        try page.details(
            isOpen: lines.count <= 50,
            summary: { $0.text(lines.count == 1 ? "1 binding" : "\(lines.count) bindings") }
        ) { try write(lines, &$0) }
    }

    private func write(_ lines: [BindingLine], _ page: inout Markup) throws {
        let columns = ["since", "caller (unverified)", "knows", "of", "by"]
        try page.table("Bindings", columns) { page in
            for line in lines {
                page.row { write(line, &$0) }
                try page.drain()
            }
        }
    }

    private func write(_ line: BindingLine, _ page: inout Markup) {
        let binding = line.row.binding
        page.cell { $0.time(line.row.time) }
        page.cell { $0.excerpt(binding.caller) }
        page.cell { page in
            page.text(binding.kind.sentence)
            for value in binding.values {
                page.text(" ")
                page.code(value)
            }
        }
        page.cell { link(wallet: binding.wallet, &$0) }
        page.cell { page in
            link(request: line.request, &page)
            guard let grant = index.grants[line.request] else { return }
            page.text(" ")
            source(event: grant, "event \(grant)", &page)
        }
    }
}

extension BindingGranted.Kind {
    /// What a caller was given, in words.
    var sentence: String {
        switch self {
        case .address: "an address to pay to"
        case .masterPublicKey: "the account's public keys, with which all of its payments show"
        case .bind: "the wallet's address"
        }
    }
}

extension Report {
    func writeSessions(_ page: inout Markup) throws {
        if index.sessions.isEmpty { return page.element(.p, "There was no session.") }
        let count = index.sessions.count
        try page.details(
            isOpen: count <= 50,
            summary: { $0.text(count == 1 ? "1 session" : "\(count) sessions") }
        ) { try writeTable(&$0) }
    }

    private func writeTable(_ page: inout Markup) throws {
        let columns = [
            "session", "front end", "began", "last event", "events", "requests", "rules",
            "libraries",
        ]
        try page.table("Sessions", columns, numbers: [4, 5, 6]) { page in
            for session in index.sessions {
                page.element(.tr, [.id(.session(session.id))]) { write(session, &$0) }
                try page.drain()
            }
        }
    }

    private func write(_ session: ReportIndex.Session, _ page: inout Markup) {
        page.element(.th, [.fixed("scope", "row")]) { page in
            source(event: session.id.position, "\(session.id)", &page)
        }
        page.cell { $0.excerpt(session.started.frontEnd) }
        page.cell { $0.time(session.begins) }
        page.cell { $0.time(session.lastEvent) }
        page.number(String(session.events))
        page.number(String(session.requests))
        page.number(String(session.started.engine))
        let libraries = session.started.libraries.map { "\($0.name) \($0.version)" }
        page.cell { $0.excerpt(libraries.joined(separator: ", ")) }
    }
}

/// Links within the page, and names of what they lead to.
extension Report {
    /// Writes a link to an event, or only its name where the log does not have it.
    func link(event position: Position, _ text: String, _ page: inout Markup) {
        guard position.number < index.events else { return page.text(text) }
        page.link(to: .event(position), text)
    }

    /// Writes links to an event and to its proof.
    func source(event position: Position, _ text: String, _ page: inout Markup) {
        link(event: position, text, &page)
        guard position.number < index.events else { return }
        page.text(" ")
        page.link(to: .proof(position), "proof")
    }

    func link(request id: RequestID, _ page: inout Markup) {
        guard index.lists(id) else { return page.text("request \(id)") }
        page.link(to: .request(id), "request \(id)")
    }

    func link(wallet id: WalletID, _ page: inout Markup) {
        guard let row: WalletRow = index.state.wallets[id] else {
            return page.text("wallet \(id)")
        }
        page.link(to: .wallet(id), name(of: id))
        page.text(" ")
        badge(row.wallet.network, &page)
    }

    /// The user's name for a wallet, and its number.
    func name(of wallet: WalletID) -> String {
        let row = index.state.wallets[wallet]
        return row?.wallet.label.map { "\($0) (wallet \(wallet))" } ?? "wallet \(wallet)"
    }

    /// Writes the network in a way that makes play money stand out.
    func badge(_ network: Network, _ page: inout Markup) {
        page.badge(network.rawValue, network == .mainnet ? .quiet : .open)
    }
}

extension Report {
    func writeHistory(_ page: inout Markup) throws {
        if index.movements.isEmpty { return page.element(.p, "Nothing was ever moved.") }
        for wallet in index.state.wallets.keys() {
            guard let lines = index.movements[wallet] else { continue }
            page.element(.h3) { link(wallet: wallet, &$0) }
            let isLong = lines.count > 200
            try page.details(
                isOpen: !isLong,
                summary: { $0.text(lines.count == 1 ? "1 movement" : "\(lines.count) movements") }
            ) { try write(lines, of: wallet, &$0) }
        }
    }

    private func write(
        _ lines: [ReportIndex.Movement], of wallet: WalletID, _ page: inout Markup
    ) throws {
        let columns = ["time", "what", "amount", "fee in it", "transaction", "for", "event"]
        try page.table("History of \(name(of: wallet))", columns, numbers: [2, 3]) { page in
            for line in lines {
                page.row { write(line, &$0) }
                try page.drain()
            }
        }
    }

    private func write(_ line: ReportIndex.Movement, _ page: inout Markup) {
        let movement = line.movement
        page.cell { $0.time(line.time) }
        page.cell(movement.kind.rawValue)
        page.element(.td, [.style("number")]) { page in
            page.excerpt("\(movement.asset.text(movement.amount)) \(movement.asset.symbol)")
        }
        page.number(movement.fee.map { movement.asset.coin($0) } ?? "")
        page.cell { page in
            if let txid = movement.txid { page.code(Hex.encode(txid)) }
        }
        page.cell { page in
            if let request = movement.request { link(request: request, &page) }
            if let caller = movement.caller {
                page.text(" of ")
                page.excerpt(caller)
            }
        }
        page.cell { source(event: line.position, "event \(line.position)", &$0) }
    }
}
