package import DaybookEncoding

/// Work on each table of a state, whatever its rows are.
protocol TableVisitor {
    mutating func visit<Key, Row>(_ table: inout StateTable<Key, Row>)
}

extension State {
    /// Visits every table, in the order of the rows in bytes.
    mutating func visit(_ visitor: inout some TableVisitor) {
        visitor.visit(&addresses)
        visitor.visit(&approved)
        visitor.visit(&attemptsByTerms)
        visitor.visit(&attempts)
        visitor.visit(&balances)
        visitor.visit(&bindings)
        visitor.visit(&branches)
        visitor.visit(&callbacks)
        visitor.visit(&callers)
        visitor.visit(&chains)
        visitor.visit(&engines)
        visitor.visit(&followed)
        visitor.visit(&frontEnds)
        visitor.visit(&history)
        visitor.visit(&identical)
        visitor.visit(&immature)
        visitor.visit(&requestKeys)
        visitor.visit(&outputs)
        visitor.visit(&pending)
        visitor.visit(&requests)
        visitor.visit(&reserved)
        visitor.visit(&scripts)
        visitor.visit(&sessions)
        visitor.visit(&spentOutputs)
        visitor.visit(&tokens)
        visitor.visit(&transactions)
        visitor.visit(&unconfirmed)
        visitor.visit(&unlocks)
        visitor.visit(&wallets)
        visitor.visit(&work)
        visitor.visit(&worlds)
    }

    /// Lies above other rows with the same content as those that it and its copies lay above.
    ///
    /// What was read of them stays known.
    package mutating func move(above rows: (any Rows)?) {
        base.rows = rows
        base.damage = nil
    }

    /// Forgets what differs from the rows that it lies above, because they have it by now.
    package mutating func forgetChanges() {
        var forget = ForgetChanges()
        visit(&forget)
    }

    /// Saves a state that has rows of its own, once much has changed.
    mutating func trim() {
        if base.isOwn, changeCount >= Self.mostInMemory { save() }
    }

    /// So many changed rows are held in memory.
    private static let mostInMemory = 16_384

    /// Writes what changed into the rows that the state lies above, if it lies above any.
    package mutating func save() {
        guard var rows = base.rows else { return }
        let changes = changes
        // Rows that nobody else holds are changed where they are.
        base.rows = nil
        for (key, value) in changes {
            if let value { rows.set(key, value) } else { rows.remove(key) }
        }
        base.rows = rows
        forgetChanges()
    }

    /// The rows in bytes: those that it lies above, with what changed.
    package var rows: OverlayRows {
        var changed = MemoryRows()
        for (key, value) in changes { changed.set(key, value ?? []) }
        return OverlayRows(base.rows ?? MemoryRows(), changes: changed)
    }

    /// Hands out the rows in bytes, in the order of their keys.
    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        if base.rows != nil { return rows.walk(body) }
        for (key, value) in changes {
            if let value { body(key, value) }
        }
    }

    /// How many rows differ from those that it lies above.
    package var changeCount: Int {
        var copy = self
        var count = CountChanges()
        copy.visit(&count)
        return count.count
    }

    /// What differs from the rows that it lies above, in bytes; nil for each that was removed.
    ///
    /// In the order of the keys.
    package var changes: [(key: Bytes, value: Bytes?)] {
        var copy = self
        var changes = CollectChanges()
        copy.visit(&changes)
        return changes.changes
    }
}

struct StandOn: TableVisitor {
    let base: StateBase

    func visit<Key, Row>(_ table: inout StateTable<Key, Row>) { table.stand(on: base) }
}

private struct ForgetChanges: TableVisitor {
    func visit<Key, Row>(_ table: inout StateTable<Key, Row>) { table.forgetChanges() }
}

private struct CountChanges: TableVisitor {
    var count = 0

    mutating func visit<Key, Row>(_ table: inout StateTable<Key, Row>) {
        count += table.changeCount
    }
}

private struct CollectChanges: TableVisitor {
    var changes: [(key: Bytes, value: Bytes?)] = []

    mutating func visit<Key, Row>(_ table: inout StateTable<Key, Row>) {
        changes += table.encodedChanges
    }
}
