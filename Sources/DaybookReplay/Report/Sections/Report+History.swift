import DaybookDomain
import DaybookEncoding

extension Report {
    func writeHistory(_ page: inout Markup) throws {
        if survey.movements.isEmpty { return page.element(.p, "Nothing was ever moved.") }
        for wallet in survey.state.wallets.keys() {
            guard let lines = survey.movements[wallet] else { continue }
            page.element(.h3) { link(wallet: wallet, &$0) }
            let isLong = lines.count > 200
            try page.details(
                isOpen: !isLong,
                summary: { $0.text(lines.count == 1 ? "1 movement" : "\(lines.count) movements") }
            ) { try write(lines, of: wallet, &$0) }
        }
    }

    private func write(
        _ lines: [Survey.WalletMovement], of wallet: WalletID, _ page: inout Markup
    ) throws {
        let columns = ["time", "what", "amount", "fee in it", "transaction", "for", "event"]
        try page.table("History of \(name(of: wallet))", columns, numbers: [2, 3]) { page in
            for line in lines {
                page.row { write(line, &$0) }
                try page.drain()
            }
        }
    }

    private func write(_ line: Survey.WalletMovement, _ page: inout Markup) {
        let movement = line.movement
        page.cell { $0.moment(line.time) }
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
