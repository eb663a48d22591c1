import DaybookDomain

extension Report {
    func writeBindings(_ page: inout Markup) throws {
        let lines = survey.state.bindingLines()
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
        page.cell { $0.moment(line.row.time) }
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
            guard let grant = survey.grants[line.request] else { return }
            page.text(" ")
            source(event: grant, "event \(grant)", &page)
        }
    }
}

extension BindingGranted.Kind {
    /// What a caller was told, in words.
    var sentence: String {
        switch self {
        case .address: "an address to pay to"
        case .masterPublicKey: "the account's public keys, with which all of its payments show"
        case .bind: "the wallet's address"
        }
    }
}
