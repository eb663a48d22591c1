package import DaybookEncoding

/// The data of an event: one case for each type in the catalogue, `docs/EVENTS.md`.
///
/// The largest cases are indirect, because events are moved more often than they are read.
package enum Payload: Equatable, Sendable {
    // Inputs: what came from outside.
    case sessionStarted(SessionStarted)
    case timePassed(TimePassed)
    case clockSet(ClockSet)
    case walletAdded(WalletAdded)
    case walletRenamed(WalletRenamed)
    case walletRemoved(WalletRemoved)
    case coinFrozen(CoinFrozen)
    case coinUnfrozen(CoinUnfrozen)
    case labelSet(LabelSet)
    case priceSet(PriceSet)
    case priceWithdrawn(PriceWithdrawn)
    case requestReceived(RequestReceived)
    case remedyRequested(RemedyRequested)
    case decisionMade(DecisionMade)
    case unlockFailed(UnlockFailed)
    indirect case chainObserved(ChainObserved)
    case chainUnavailable(ChainUnavailable)
    case signatureMade(SignatureMade)
    case signatureFailed(SignatureFailed)
    case broadcastAnswered(BroadcastAnswered)
    case callbackDelivered(CallbackDelivered)
    case checkpointMade(CheckpointMade)
    case checkpointCosigned(CheckpointCosigned)
    case checkpointStamped(CheckpointStamped)

    // Outcomes: what follows.
    indirect case requestDeferred(RequestDeferred)
    indirect case requestAccepted(RequestAccepted)
    case requestRefused(RequestRefused)
    case requestCoalesced(RequestCoalesced)
    case requestRejected(RequestRejected)
    case requestExpired(RequestExpired)
    case requestCancelled(RequestCancelled)
    case decisionRefused(DecisionRefused)
    case unlockLocked(UnlockLocked)
    case paymentReceived(PaymentReceived)
    case paymentMade(PaymentMade)
    case transactionPrepared(TransactionPrepared)
    case transactionSigned(TransactionSigned)
    case transactionSent(TransactionSent)
    case transactionLocked(TransactionLocked)
    case transactionFailed(TransactionFailed)
    case transactionConfirmed(TransactionConfirmed)
    case transactionReorganised(TransactionReorganised)
    case transactionDropped(TransactionDropped)
    case bindingGranted(BindingGranted)
    case callbackEmitted(CallbackEmitted)

    /// Whether this is an input; outcomes can be computed again.
    package var isInput: Bool {
        switch self {
        case .sessionStarted, .timePassed, .clockSet, .walletAdded, .walletRenamed,
            .walletRemoved, .coinFrozen, .coinUnfrozen, .labelSet, .priceSet,
            .priceWithdrawn, .requestReceived,
            .remedyRequested, .decisionMade, .unlockFailed, .chainObserved, .chainUnavailable,
            .signatureMade, .signatureFailed, .broadcastAnswered, .callbackDelivered,
            .checkpointMade, .checkpointCosigned, .checkpointStamped:
            true
        case .requestDeferred, .requestAccepted, .requestRefused, .requestCoalesced,
            .requestRejected, .requestExpired, .requestCancelled, .decisionRefused, .unlockLocked,
            .paymentReceived, .paymentMade, .transactionPrepared, .transactionSigned,
            .transactionSent, .transactionLocked, .transactionFailed, .transactionConfirmed,
            .transactionReorganised, .transactionDropped, .bindingGranted, .callbackEmitted:
            false
        }
    }

    /// The data behind the case.
    package var data: any EventData {
        switch self {
        case .sessionStarted(let data): data
        case .timePassed(let data): data
        case .clockSet(let data): data
        case .walletAdded(let data): data
        case .walletRenamed(let data): data
        case .walletRemoved(let data): data
        case .coinFrozen(let data): data
        case .coinUnfrozen(let data): data
        case .labelSet(let data): data
        case .priceSet(let data): data
        case .priceWithdrawn(let data): data
        case .requestReceived(let data): data
        case .remedyRequested(let data): data
        case .decisionMade(let data): data
        case .unlockFailed(let data): data
        case .chainObserved(let data): data
        case .chainUnavailable(let data): data
        case .signatureMade(let data): data
        case .signatureFailed(let data): data
        case .broadcastAnswered(let data): data
        case .callbackDelivered(let data): data
        case .checkpointMade(let data): data
        case .checkpointCosigned(let data): data
        case .checkpointStamped(let data): data
        case .requestDeferred(let data): data
        case .requestAccepted(let data): data
        case .requestRefused(let data): data
        case .requestCoalesced(let data): data
        case .requestRejected(let data): data
        case .requestExpired(let data): data
        case .requestCancelled(let data): data
        case .decisionRefused(let data): data
        case .unlockLocked(let data): data
        case .paymentReceived(let data): data
        case .paymentMade(let data): data
        case .transactionPrepared(let data): data
        case .transactionSigned(let data): data
        case .transactionSent(let data): data
        case .transactionLocked(let data): data
        case .transactionFailed(let data): data
        case .transactionConfirmed(let data): data
        case .transactionReorganised(let data): data
        case .transactionDropped(let data): data
        case .bindingGranted(let data): data
        case .callbackEmitted(let data): data
        }
    }

    /// Decodes recorded data; nil for a type or version that is not among `types`.
    ///
    /// Data of an older version of a type is first brought to the newest one.
    package init?(
        type: Span<UInt8>, version: UInt64, data: EncodedCBOR, of types: EventTypes = .current
    ) throws(FieldError) {
        let (data, version) = types.newest(data, of: type, from: version) ?? (data, version)
        guard let read = types.reader(of: type, version: version),
            let payload = try read(data, true)?.payload
        else { return nil }
        self = payload
    }

    /// Reads data that nobody has checked, and where it ends.
    ///
    /// Nil unless it is canonical and has the fields that the newest version of its type has.
    package static func read(
        type: Span<UInt8>, version: UInt64, data: EncodedCBOR
    ) -> (payload: Payload, end: Int)? {
        guard let read = EventTypes.current.reader(of: type, version: version) else { return nil }
        return (try? read(data, false)) ?? nil
    }

    package init?(type: String, version: UInt64, data: EncodedCBOR) throws(FieldError) {
        try self.init(type: type.utf8.span, version: version, data: data)
    }

    /// The names of the known types, sorted.
    package static var types: [String] { EventTypes.current.names }
}

/// The decoder for one type of event.
struct PayloadReader: Sendable {
    /// Nil if the data was not checked before, and is not what was expected.
    typealias Read = @Sendable (
        _ data: EncodedCBOR, _ isChecked: Bool
    ) throws(FieldError) -> (payload: Payload, end: Int)?

    let type: String
    let version: UInt64
    let read: Read

    init<Data: EventData>(_ make: @escaping @Sendable (Data) -> Payload) {
        (type, version) = (Data.type, Data.version)
        read = { (data, isChecked) throws(FieldError) in
            if let (value, end) = Data.read(data.buffer, at: data.start) {
                return (make(value), end)
            }
            return isChecked ? (make(try Data(data)), data.range.upperBound) : nil
        }
    }

    static let known = Table([
        PayloadReader(Payload.sessionStarted), PayloadReader(Payload.timePassed),
        PayloadReader(Payload.clockSet), PayloadReader(Payload.walletAdded),
        PayloadReader(Payload.walletRemoved), PayloadReader(Payload.requestReceived),
        PayloadReader(Payload.decisionMade), PayloadReader(Payload.unlockFailed),
        PayloadReader(Payload.chainObserved), PayloadReader(Payload.chainUnavailable),
        PayloadReader(Payload.signatureMade), PayloadReader(Payload.signatureFailed),
        PayloadReader(Payload.broadcastAnswered), PayloadReader(Payload.callbackDelivered),
        PayloadReader(Payload.checkpointMade),
        PayloadReader(Payload.requestDeferred), PayloadReader(Payload.requestAccepted),
        PayloadReader(Payload.requestRefused), PayloadReader(Payload.requestCoalesced),
        PayloadReader(Payload.requestRejected), PayloadReader(Payload.requestExpired),
        PayloadReader(Payload.decisionRefused), PayloadReader(Payload.unlockLocked),
        PayloadReader(Payload.paymentReceived), PayloadReader(Payload.paymentMade),
        PayloadReader(Payload.transactionPrepared), PayloadReader(Payload.transactionSigned),
        PayloadReader(Payload.transactionSent), PayloadReader(Payload.transactionLocked),
        PayloadReader(Payload.transactionFailed), PayloadReader(Payload.transactionConfirmed),
        PayloadReader(Payload.transactionReorganised), PayloadReader(Payload.transactionDropped),
        PayloadReader(Payload.bindingGranted), PayloadReader(Payload.callbackEmitted),
        PayloadReader(Payload.remedyRequested), PayloadReader(Payload.requestCancelled),
        PayloadReader(Payload.walletRenamed), PayloadReader(Payload.coinFrozen),
        PayloadReader(Payload.coinUnfrozen), PayloadReader(Payload.labelSet),
        PayloadReader(Payload.priceSet), PayloadReader(Payload.priceWithdrawn),
        PayloadReader(Payload.checkpointCosigned), PayloadReader(Payload.checkpointStamped),
    ])

    /// A hash table of decoders, so that a type is looked up by its bytes without making a String.
    struct Table: Sendable {
        private let readers: [PayloadReader]
        private let keys: [Key]
        /// The index of each reader, by open addressing from the slot of its type; -1 is free.
        private var slots = [Int8](repeating: -1, count: 256)

        init(_ readers: [PayloadReader]) {
            self.readers = readers
            keys = readers.map { reader in
                guard let key = Key(reader.type.utf8.span) else {
                    preconditionFailure("the names of types have 8 to 24 bytes")
                }
                return key
            }
            for (index, key) in keys.enumerated() {
                var slot = key.slot
                while slots[slot] >= 0 { slot = (slot + 1) % slots.count }
                slots[slot] = Int8(index)
            }
        }

        var names: [String] { readers.map(\.type) }

        /// The reader of exactly this version of a type.
        subscript(type: Span<UInt8>, version: UInt64) -> Read? {
            guard let index = index(of: type), readers[index].version == version else {
                return nil
            }
            return readers[index].read
        }

        /// The version of a type that has a reader.
        func version(of type: Span<UInt8>) -> UInt64? {
            index(of: type).map { readers[$0].version }
        }

        private func index(of type: Span<UInt8>) -> Int? {
            guard let key = Key(type) else { return nil }
            var slot = key.slot
            while slots[slot] >= 0 {
                let index = Int(slots[slot])
                if keys[index] == key { return index }
                slot = (slot + 1) % slots.count
            }
            return nil
        }

        /// A type's name of 8 to 24 bytes: its length, and its bytes as three numbers that overlap.
        private struct Key: Equatable {
            private let count: Int
            private let first: UInt64
            private let middle: UInt64
            private let last: UInt64

            init?(_ type: Span<UInt8>) {
                guard (8...24).contains(type.count) else { return nil }
                count = type.count
                first = BigEndian.number(in: type, at: 0)
                middle = BigEndian.number(in: type, at: (count - 8) / 2)
                last = BigEndian.number(in: type, at: count - 8)
            }

            /// The first slot of a type: a hash of its length and of its first and last bytes.
            var slot: Int {
                let mixed = (first &+ UInt64(count)) &* 0x9e37_79b9_7f4a_7c15 ^ last
                return Int((mixed &* 0x9e37_79b9_7f4a_7c15) >> 56)
            }
        }
    }
}
