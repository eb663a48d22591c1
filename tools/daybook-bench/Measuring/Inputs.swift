import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// What the measurements and the baselines work on, taken from a store's log.
struct Inputs {
    var events: [Bytes] = []
    var links: [Bytes] = []
    /// A public key, a digest and a signature each.
    var signatures: [Bytes] = []
    /// The transactions that were sent.
    var sent: [Bytes] = []

    init(of store: String) throws {
        let log = try EventLog(readingAt: store + "/log")
        var prepared: [RequestID: TransactionPrepared] = [:]
        let count = try log.read { $0.count }
        for position in stride(from: 0, to: count, by: 4096) {
            for record in try log.read({ try $0.records(from: position, limit: 4096) }) {
                events.append(record.bytes)
                guard let event = try Recording.event(record) else { continue }
                switch event.payload {
                case .requestReceived(let data): links.append(data.text)
                case .transactionPrepared(let data): prepared[event.request ?? 0] = data
                case .signatureMade(let data):
                    guard let work = prepared.removeValue(forKey: event.request ?? 0) else {
                        continue
                    }
                    for (input, signature) in zip(work.inputs, data.signatures) {
                        // A recoverable signature is another one with a byte behind it.
                        signatures.append(input.publicKey + input.digest + signature.prefix(64))
                    }
                case .transactionSigned(let data): sent.append(data.bytes)
                default: break
                }
            }
        }
    }

    func write(to folder: String) throws {
        try Self.write(events, to: folder + "/events")
        try Self.write(links, to: folder + "/links")
        try Self.write(signatures, to: folder + "/signatures")
    }

    /// Writes records as the baselines read them: each behind its length.
    static func write(_ records: [Bytes], to path: String) throws {
        try Files.writeAtomically(path, joined(records), mode: 0o600)
    }

    /// Events by their commits: each commit is a record that holds records.
    static func write(commits: [[Bytes]], to path: String) throws {
        try write(commits.map(joined), to: path)
    }

    private static func joined(_ records: [Bytes]) -> Bytes {
        var bytes = Bytes()
        bytes.reserveCapacity(records.reduce(0) { $0 + $1.count + 4 })
        for record in records {
            let length = UInt32(record.count)
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: length >> shift))
            }
            bytes += record
        }
        return bytes
    }
}
