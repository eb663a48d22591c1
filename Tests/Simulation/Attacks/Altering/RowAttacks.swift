import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import Simulator

/// Attacks by a process that can write the log's file: on rows that follow from the events.
struct RowAttacks {
    let scene: AttackScene
    let attacker: AttackScene
    let values: Values

    var all: [Attack] {
        fields + wholeRows + groups + otherTables
    }

    private var rows: [Row] { Self.rows(of: scene) }

    private static func rows(of scene: AttackScene) -> [Row] {
        let tables = MemoryTables()
        tables.image = scene.moment.derived
        return tables.rows("state").scan(prefix: [], after: nil, limit: .max)
    }

    private var attackersRows: [Bytes: Bytes] {
        Dictionary(Self.rows(of: attacker).map { ($0.key, $0.value) }) { first, _ in first }
    }

    private func attack(
        _ kind: String, _ what: String, _ key: Bytes?,
        _ change: @escaping @Sendable (inout MemoryRows) -> Void, table: String = "state",
        isDerived: Bool = true
    ) -> Attack {
        Attack(
            kind: kind, what: what, chain: key.flatMap { chain(of: $0) }, network: scene.network
        ) { computer, _ in
            let tables = isDerived ? computer.derived : computer.log
            var rows = tables.rows(table)
            change(&rows)
            tables.replace(table, with: rows)
            return nil
        }
    }

    /// The chain that a row is about; nil where that is not seen at once.
    private func chain(of key: Bytes) -> Chain? {
        let prefixes = ["addresses/", "branches/", "outputs/", "spent/", "unconfirmed/", "scripts/"]
        let name = String(decoding: key.prefix { $0 != 0x2f }, as: UTF8.self) + "/"
        guard prefixes.contains(name) else { return nil }
        let rest = Bytes(key.dropFirst(name.utf8.count))
        if name == "scripts/" {
            return Chain(rawValue: String(decoding: rest.prefix { $0 != 0 }, as: UTF8.self))
        }
        let wallet = scene.records.first {
            $0.position == BigEndian.number(rest.prefix(8)) && $0.type == "wallet.added"
        }
        return wallet?.data["chain"]?.textValue.flatMap { Chain(rawValue: $0) }
    }

    // MARK: - One row

    private var fields: [Attack] {
        let others = attackersRows
        return rows.flatMap { row -> [Attack] in
            guard let record = try? CBOR.decode(row.value) else { return [] }
            let other = others[row.key].flatMap { try? CBOR.decode($0) }.map { Tree($0) }
            let altered = Tree(record).altered(beside: other) { values.instead(of: $1, at: $0, $2) }
            return altered.map { altered in
                let bytes = altered.value.cbor.encoded()
                let (key, what) = (row.key, "\(altered.place) \(altered.what)")
                return attack("row: a field", "\(Self.name(key)) \(what)", key) {
                    $0.set(key, bytes)
                }
            }
        }
    }

    private var wholeRows: [Attack] {
        let rows = rows
        let others = attackersRows
        return rows.indices.flatMap { index -> [Attack] in
            let row = rows[index]
            let next = rows[(index + 1) % rows.count]
            let name = Self.name(row.key)
            var attacks = [
                attack("row: dropped", name, row.key) { $0.remove(row.key) },
                attack("row: swapped", "\(name) with \(Self.name(next.key))", row.key) {
                    $0.set(row.key, next.value)
                    $0.set(next.key, row.value)
                },
                attack("row: added", "\(name) under the next key", row.key) {
                    $0.set(row.key.dropLast() + [(row.key.last ?? 0) &+ 1], row.value)
                },
                attack("row: no record", name, row.key) { $0.set(row.key, [0xff]) },
            ]
            if let theirs = others[row.key], theirs != row.value {
                attacks.append(
                    attack("row: the attacker's", name, row.key) { $0.set(row.key, theirs) })
            }
            return attacks
        }
    }

    // MARK: - Many rows

    /// Rows of the attacker's own store in the place of the user's: by table, and some of them.
    private var groups: [Attack] {
        let others = Self.rows(of: attacker)
        let mine = rows
        var groups: [(String, (Bytes) -> Bool)] = []
        let tables = Set(mine.map { Self.table(of: $0.key) }).sorted()
        for table in tables { groups.append((table, { Self.table(of: $0) == table })) }
        groups.append(("all", { _ in true }))
        let identity = ["addresses", "scripts", "branches"]
        groups.append(("addresses, scripts, branches", { identity.contains(Self.table(of: $0)) }))
        groups.append((
            "with wallets", { (identity + ["wallets"]).contains(Self.table(of: $0)) }
        ))
        for kind: UInt8 in 0..<3 {
            for change: UInt8 in 0..<2 {
                groups.append((
                    "addresses of branch \(kind)/\(change)",
                    { key in
                        Self.table(of: key) == "addresses" && key.count == 10 + 8 + 10
                            && key[18] == kind && key[23] == change
                    }
                ))
            }
        }
        var attacks: [Attack] = []
        for (name, isMeant) in groups {
            let theirs = others.filter { isMeant($0.key) }
            let old = mine.filter { isMeant($0.key) }
            attacks.append(
                attack("rows: the attacker's", "\(name) in place of the user's", nil) { rows in
                    for row in old { rows.remove(row.key) }
                    for row in theirs { rows.set(row.key, row.value) }
                })
            attacks.append(
                attack("rows: the attacker's", "\(name) beside the user's", nil) { rows in
                    for row in theirs where rows.value(row.key) == nil {
                        rows.set(row.key, row.value)
                    }
                })
            attacks.append(
                attack("rows: the attacker's", "\(name), wallets to watch only", nil) { rows in
                    for row in old { rows.remove(row.key) }
                    for row in theirs { rows.set(row.key, row.value) }
                    Self.watch(&rows)
                })
            attacks.append(
                attack("rows: the attacker's", "unused ones of \(name)", nil) { rows in
                    for row in theirs {
                        guard let old = rows.value(row.key), let record = try? CBOR.decode(old),
                            record["used"] != .bool(true), record["givenTo"] == nil
                        else { continue }
                        rows.set(row.key, row.value)
                    }
                })
        }
        return attacks
    }

    /// Makes of each wallet one without a sealed key.
    private static func watch(_ rows: inout MemoryRows) {
        for row in rows.scan(prefix: Bytes("wallets/".utf8), after: nil, limit: 100) {
            guard let record = try? CBOR.decode(row.value), let wallet = record["wallet"] else {
                continue
            }
            let watched = wallet.adding("watchOnly", .bool(true))
            rows.set(row.key, record.replacing("wallet", by: watched).encoded())
        }
    }

    // MARK: - Other tables

    /// The indexes of events, the tree, and what describes the log.
    private var otherTables: [Attack] {
        let places = [("meta", false)]
            + ["meta", "streams", "positions", "tree"].map { ($0, true) }
        return places.flatMap { table, isDerived in
            let tables = MemoryTables()
            tables.image = isDerived ? scene.moment.derived : scene.moment.log
            let rows = tables.rows(table).scan(prefix: [], after: nil, limit: .max)
            return rows.flatMap { row -> [Attack] in
                let name = "\(isDerived ? "derived " : "")\(table) \(Hex.encode(row.key))"
                let flipped = Bytes(row.value.dropLast()) + row.value.suffix(1).map { $0 ^ 1 }
                return [
                    attack(
                        "index: dropped", name, nil, { $0.remove(row.key) }, table: table,
                        isDerived: isDerived),
                    attack(
                        "index: altered", name, nil, { $0.set(row.key, flipped) }, table: table,
                        isDerived: isDerived),
                    attack(
                        "index: added", name, nil, { $0.set(row.key + [0], row.value) },
                        table: table, isDerived: isDerived),
                ]
            }
        }
    }

    private static func table(of key: Bytes) -> String {
        String(decoding: key.prefix { $0 != 0x2f }, as: UTF8.self)
    }

    private static func name(_ key: Bytes) -> String {
        let table = table(of: key)
        return "\(table)/\(Hex.encode(Bytes(key.dropFirst(table.utf8.count + 1))))"
    }
}
