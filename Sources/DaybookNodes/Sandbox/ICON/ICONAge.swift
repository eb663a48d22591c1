/// How a transaction's time stands to now; what is off is off by microseconds.
enum ICONAge: Equatable {
    case fresh
    case expired(by: UInt64)
    case future(by: UInt64)

    init(of timestamp: UInt64, at now: UInt64) {
        let threshold = ICONSandbox.timestampThreshold
        let earliest = now > threshold ? now - threshold : 0
        let latest = now.addingReportingOverflow(threshold)
        if timestamp <= earliest {
            self = .expired(by: earliest - timestamp)
        } else if !latest.overflow, timestamp > latest.partialValue {
            self = .future(by: timestamp - latest.partialValue)
        } else {
            self = .fresh
        }
    }
}
