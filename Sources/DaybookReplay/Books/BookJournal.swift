package import DaybookDomain
package import DaybookEncoding

/// Writes movements as a journal of double entry; `docs/FORMATS.md` explains its accounts.
///
/// For example:
///
///     var journal = BookJournal(state, log: log.id, .ledger)
///     for movement in Books(of: state) { output(journal.text(movement)) }
package struct BookJournal {
    private let state: State
    private let names: BookNames
    private let dialect: Dialect
    private let tag: String
    private var declared: Set<String> = []

    /// The language of a journal.
    package enum Dialect: Sendable {
        /// That of ledger, which hledger reads as well.
        case ledger
        case beancount
    }

    /// A journal about the wallets of a state.
    package init(_ state: State, log: Bytes, _ dialect: Dialect) {
        (self.state, self.dialect) = (state, dialect)
        tag = Hex.encode(log.prefix(4))
        names = BookNames(state, log: log, spelling: dialect.spelling)
    }

    /// The text before the transactions: their accounts, and the known prices.
    package mutating func header() -> String {
        var text = ""
        let (state, names) = (state, names)
        state.prices.walk { key, row in
            for name in names.currencies(ofPriced: key.asset) {
                text += line(key, row.price, of: name)
            }
            return true
        }
        return "; Movements of the wallets of the daybook \(tag)\n\n" + text
            + (text.isEmpty ? "" : "\n")
    }

    private mutating func line(
        _ key: PriceKey, _ price: DecimalNumber, of name: String
    ) -> String {
        var text = ""
        let commodity = dialect.commodity(name)
        let day = Timestamp.day(key.time)
        switch dialect {
        case .ledger:
            let zeros = String(repeating: "0", count: Currency.decimals(of: key.currency))
            let currency = "commodity \(key.currency)\n    format 1000.\(zeros) \(key.currency)"
            declare(currency, "", &text)
            let time = "\(day) \(Timestamp.clock(key.time))"
            return text + "P \(time) \(commodity) \(price.text) \(key.currency)\n"
        case .beancount:
            return "\(day) price \(commodity) \(price.text) \(key.currency)\n"
        }
    }

    /// The transaction of a movement, after the declarations of what it names first.
    package mutating func text(_ movement: Movement) -> String {
        let date = Timestamp.day(movement.date)
        let postings = postings(movement)
        var text = ""
        for posting in postings {
            declare(account: posting.account, date, &text)
            declare(posting.asset, date, &text)
        }
        let tags = tags(movement)
        if dialect == .ledger {
            for tag in tags { declare("tag \(tag.name)", "", &text) }
        }
        if !text.isEmpty { text += "\n" }
        text += head(movement, date) + "\n"
        for tag in tags { text += "    \(dialect.line(tag))\n" }
        for posting in postings {
            let decimals = posting.asset.decimals ?? 0
            text += "    \(posting.account)  \(posting.amount.text(decimals: decimals)) "
                + "\(dialect.commodity(names.currency(posting.asset)))\n"
        }
        return text + "\n"
    }

    // MARK: - Parts of a transaction

    private struct Posting {
        let account: String
        let asset: BookAsset
        let amount: SignedAmount
    }

    private func postings(_ movement: Movement) -> [Posting] {
        var postings: [Posting] = []
        func post(_ amount: SignedAmount, _ asset: BookAsset, to account: String) {
            if amount == .zero { return }
            let same = postings.firstIndex { $0.account == account && $0.asset == asset }
            let before = same.map { postings.remove(at: $0).amount } ?? .zero
            postings.append(
                Posting(account: account, asset: asset, amount: before.adding(amount)))
        }
        let (asset, coin) = (movement.asset, movement.asset.coin)
        let (sent, received) = (SignedAmount(movement.sent), SignedAmount(movement.received))
        if let payer = movement.payer {
            post(sent.negated, asset, to: account(of: payer))
            post(SignedAmount(movement.fee).negated, coin, to: account(of: payer))
            post(SignedAmount(movement.fee), coin, to: dialect.account(.expenses, "fees", tag))
        }
        if let payee = movement.payee { post(received, asset, to: account(of: payee)) }
        if received == .zero {
            post(sent, asset, to: dialect.account(.expenses, other(movement), tag))
        } else if sent == .zero {
            post(received.negated, asset, to: dialect.account(.income, other(movement), tag))
        }
        return postings
    }

    private func account(of wallet: WalletID) -> String {
        dialect.account(.assets, spelled: names.wallet(wallet), tag)
    }

    /// The name of the other side in an account.
    private func other(_ movement: Movement) -> String {
        if movement.kind == .transfer {
            let sides = [movement.payer, movement.payee].compactMap { $0 }
            guard let other = sides.first(where: { $0 != movement.wallet }) else {
                return "removed"
            }
            return names.wallet(other)
        }
        let name = names.payee(movement) ?? "unknown"
        return ["fees", "removed"].contains(name.lowercased()) ? "\(name) payee" : name
    }

    private func head(_ movement: Movement, _ date: String) -> String {
        let payee = names.payee(movement) ?? "unknown"
        let description = names.description(movement)
        let note = Text.equal(description, payee) ? "" : description
        return switch dialect {
        case .ledger:
            "\(date) * (\(movement.position)) \(Dialect.ledgerText(payee))"
                + (note.isEmpty ? "" : " | \(Dialect.ledgerText(note))")
        case .beancount:
            "\(date) * \(Dialect.quoted(payee)) \(Dialect.quoted(note))"
        }
    }

    private func tags(_ movement: Movement) -> [Dialect.Tag] {
        var tags: [Dialect.Tag] = [
            .init(name: "kind", value: movement.kind.rawValue),
            .init(name: "position", value: movement.position.description, isNumber: true),
        ]
        if let request = movement.request {
            tags.append(.init(name: "request", value: request.description, isNumber: true))
        }
        if let txid = movement.txid { tags.append(.init(name: "txid", value: Hex.encode(txid))) }
        if let address = movement.counterparty {
            tags.append(.init(name: "counterparty", value: Dialect.encoded(address)))
        }
        tags.append(.init(name: "at", value: Timestamp.seconds(movement.date)))
        tags.append(.init(name: "recorded", value: Timestamp.seconds(movement.recorded)))
        return tags
    }

    // MARK: - Declarations

    private mutating func declare(account: String, _ date: String, _ text: inout String) {
        switch dialect {
        case .ledger: declare("account \(account)", "", &text)
        case .beancount: declare("open \(account)", "\(date) ", &text)
        }
    }

    private mutating func declare(_ asset: BookAsset, _ date: String, _ text: inout String) {
        let decimals = asset.decimals ?? 0
        let name = dialect.commodity(names.currency(asset))
        let zeros = String(repeating: "0", count: decimals)
        switch dialect {
        case .ledger:
            declare("commodity \(name)\n    format 1000.\(zeros) \(name)", "", &text)
        case .beancount:
            // A file may open an account and describe a commodity only once, but two journals can
            // be in one file: accounts end with the log's id, and this can stand twice.
            let unit = DecimalAmount.format(UInt256(1), decimals: decimals)
            declare(
                "custom \"commodity\" \(unit) \(name) \(Dialect.quoted(asset.name))", "\(date) ",
                &text)
        }
    }

    private mutating func declare(
        _ directive: String, _ date: String, _ text: inout String
    ) {
        if declared.insert(directive).inserted { text += date + directive + "\n" }
    }
}

extension BookJournal.Dialect {
    /// The accounts at the top of a journal.
    enum Top: String {
        case assets, expenses, income
    }

    /// The tags of a transaction.
    struct Tag {
        let name: String
        let value: String
        var isNumber = false
    }

    var spelling: BookNames.Spelling {
        switch self {
        case .ledger: BookNames.Spelling(currency: { $0 }, wallet: Self.ledgerAccount)
        case .beancount:
            BookNames.Spelling(currency: Self.beancountCurrency, wallet: Self.beancountAccount)
        }
    }

    func account(_ top: Top, _ name: String, _ log: String) -> String {
        switch self {
        case .ledger: account(top, spelled: Self.ledgerAccount(name), log)
        case .beancount: account(top, spelled: Self.beancountAccount(name), log)
        }
    }

    func account(_ top: Top, spelled name: String, _ log: String) -> String {
        switch self {
        case .ledger: "\(top.rawValue):\(name)"
        case .beancount: "\(Self.beancountAccount(top.rawValue)):\(name):Log-\(log)"
        }
    }

    /// A commodity, in quotation marks where its name has other characters than letters.
    func commodity(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return self == .beancount || isPlain ? name : "\"\(Self.encoded(name))\""
    }

    func line(_ tag: Tag) -> String {
        switch self {
        case .ledger: "; \(tag.name): \(tag.value)"
        case .beancount: "\(tag.name): \(tag.isNumber ? tag.value : "\"\(tag.value)\"")"
        }
    }

    // MARK: - Texts of others

    /// A payee or note, of which nothing begins a comment or ends a field.
    static func ledgerText(_ text: String) -> String {
        percentEncoded(Text.onOneLine(text)) { !";|%".unicodeScalars.contains($0) }
    }

    /// A part of an account's name: letters, digits, single spaces, and few signs.
    static func ledgerAccount(_ name: String) -> String {
        var previous: Unicode.Scalar = " "
        let encoded = percentEncoded(Text.onOneLine(name)) { scalar in
            defer { previous = scalar }
            return scalar == " " ? previous != " " : isPlain(scalar) || "-_.".contains("\(scalar)")
        }
        return encoded.last == " " ? encoded.dropLast() + "%20" : encoded
    }

    /// A part of an account's name: letters, digits and hyphens, first a capital or a digit.
    static func beancountAccount(_ name: String) -> String {
        var output = String.UnicodeScalarView()
        for scalar in Text.onOneLine(name).unicodeScalars {
            output.append(isPlain(scalar) ? scalar : "-")
        }
        guard let first = output.first else { return "X" }
        if ("a"..."z").contains(first) {
            return String(first).uppercased() + String(output.dropFirst())
        }
        let isAllowed = ("A"..."Z").contains(first) || ("0"..."9").contains(first)
        return isAllowed ? String(output) : "X" + String(output)
    }

    /// A currency: up to 24 capitals, digits and few signs, of which a letter is the first.
    static func beancountCurrency(_ name: String) -> String {
        let signs = name.uppercased().unicodeScalars.map { scalar -> Unicode.Scalar in
            ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "."
                || scalar == "_" ? scalar : "-"
        }
        var output = String.UnicodeScalarView(signs.prefix(24))
        if output.first.map({ !("A"..."Z").contains($0) }) ?? true {
            output = String.UnicodeScalarView(["X"] + output.prefix(23))
        }
        while let last = output.last, ".-_".unicodeScalars.contains(last) { output.removeLast() }
        return output.count < 2 ? String(output) + "X" : String(output)
    }

    /// A string of beancount.
    static func quoted(_ text: String) -> String {
        let line = Text.onOneLine(text).replacing("\\", with: "\\\\")
        return "\"\(line.replacing("\"", with: "\\\""))\""
    }

    /// A text of letters, digits and few signs, for a tag or a name in quotation marks.
    static func encoded(_ text: String) -> String {
        percentEncoded(Text.onOneLine(text)) { isPlain($0) || "-_. ".contains("\($0)") }
    }

    /// Whether a character is a letter or digit of any script.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            || ("0"..."9").contains(scalar) || scalar.value > 0x7f
    }

    private static func percentEncoded(
        _ text: String, except isAllowed: (Unicode.Scalar) -> Bool
    ) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            if isAllowed(scalar) {
                output.unicodeScalars.append(scalar)
            } else {
                output += String(scalar).utf8.map { "%\(Hex.encode([$0]))" }.joined()
            }
        }
        return output
    }
}
