import DaybookEncoding

/// The events that an export contains: those that meet every condition that is set.
package struct ExportSelection: Equatable, Sendable {
    /// The first position.
    package let from: UInt64?
    /// The last position.
    package let to: UInt64?
    /// The request that the events belong to.
    package let request: UInt64?
    /// The wallet that the events concern, according to the exporting program.
    package let wallet: UInt64?

    /// The whole log.
    package static let all = ExportSelection()

    /// The events that meet every condition that is not nil.
    package init(
        from: UInt64? = nil, to: UInt64? = nil, request: UInt64? = nil, wallet: UInt64? = nil
    ) {
        // From 0 is no condition: a selection has one encoding.
        self.from = from == 0 ? nil : from
        self.to = to
        self.request = request
        self.wallet = wallet
    }

    /// Whether an event may be in the export; which events concern a wallet is not checked.
    package func admits(_ record: EventRecord) -> Bool {
        if let request, record.request != request { return false }
        return positions(below: .max).contains(record.position)
    }

    /// The positions below a size that must all be in the export.
    func complete(below size: UInt64) -> Range<UInt64> {
        request == nil && wallet == nil ? positions(below: size) : 0..<0
    }

    private func positions(below size: UInt64) -> Range<UInt64> {
        let end = to.map { $0 < size ? $0 + 1 : size } ?? size
        let first = from ?? 0
        return first < end ? first..<end : 0..<0
    }
}

extension ExportSelection {
    var coded: CBOR {
        .record([
            "from": from.map(CBOR.unsigned), "to": to.map(CBOR.unsigned),
            "request": request.map(CBOR.unsigned), "wallet": wallet.map(CBOR.unsigned),
        ])
    }

    init(_ fields: ItemFields) throws(ExportFault) {
        from = try fields.optionalNumber("from")
        to = try fields.optionalNumber("to")
        request = try fields.optionalNumber("request")
        wallet = try fields.optionalNumber("wallet")
        if from == 0 { throw .malformed("from") }
        try fields.finish([from, to, request, wallet].count { $0 != nil })
    }
}

/// A run of positions that are not in an export, and their hashes in the log's tree.
package struct LeftOut: Equatable, Sendable {
    /// The first position.
    package let from: UInt64
    /// The last position.
    package let to: UInt64
    /// The hashes of the fewest whole subtrees that cover the run, from left to right.
    package let hashes: [TreeHash]

    /// A run with its hashes from `TreeReader.cover`.
    package init(from: UInt64, to: UInt64, hashes: [TreeHash]) {
        self.from = from
        self.to = to
        self.hashes = hashes
    }
}

extension LeftOut {
    var coded: CBOR {
        .record([
            "from": .unsigned(from), "to": .unsigned(to),
            "hashes": .array(hashes.map { .bytes($0.bytes) }),
        ])
    }

    init(_ fields: ItemFields) throws(ExportFault) {
        from = try fields.number("from")
        to = try fields.number("to")
        hashes = try fields.hashes("hashes")
        try fields.finish(3)
    }
}
