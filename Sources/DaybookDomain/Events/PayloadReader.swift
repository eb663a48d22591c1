import DaybookEncoding

/// How the data of one type of event is read.
struct PayloadReader: Sendable {
    typealias Read = @Sendable (consuming Fields) throws(FieldError) -> Payload

    let type: String
    let read: Read

    private init<Data: EventData>(_ make: @escaping @Sendable (Data) -> Payload) {
        type = Data.type
        read = { (fields) throws(FieldError) in make(try Data(fields)) }
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
    ])

    /// Readers by the bytes of their types: an event's type is looked up without a String of it.
    struct Table: Sendable {
        private let readers: [PayloadReader]
        /// The index of a reader, in the first free slot from that of its type on; -1 is free.
        private var slots = [Int](repeating: -1, count: 256)

        init(_ readers: [PayloadReader]) {
            self.readers = readers
            for (index, reader) in readers.enumerated() {
                var slot = Self.slot(reader.type.utf8.span)
                while slots[slot] >= 0 { slot = (slot + 1) % slots.count }
                slots[slot] = index
            }
        }

        var names: [String] { readers.map(\.type) }

        subscript(type: Span<UInt8>) -> Read? {
            var slot = Self.slot(type)
            while slots[slot] >= 0 {
                let index = slots[slot]
                let name = readers[index].type
                if name.utf8.count == type.count, ByteOrder.begins(type, with: name) {
                    return readers[index].read
                }
                slot = (slot + 1) % slots.count
            }
            return nil
        }

        /// Where to look first: a hash of the length, and of the first and the last eight bytes.
        private static func slot(_ type: Span<UInt8>) -> Int {
            guard type.count >= 8 else { return 0 }
            // Both loads are checked to be in bounds, and any bits are a number.
            let first = unsafe type.bytes.unsafeLoadUnaligned(as: UInt64.self)
            let last = unsafe type.bytes.unsafeLoadUnaligned(
                fromByteOffset: type.count - 8, as: UInt64.self)
            let mixed = (first &+ UInt64(type.count)) &* 0x9e37_79b9_7f4a_7c15 ^ last
            return Int((mixed &* 0x9e37_79b9_7f4a_7c15) >> 56)
        }
    }
}
