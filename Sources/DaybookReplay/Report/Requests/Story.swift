import DaybookEncoding
import DaybookDomain

/// A request and the events that belong to it, in their order.
struct Story {
    let id: RequestID
    var events: [Event] = []

    /// What the user was first offered.
    var offer: RequestAccepted? {
        for event in events {
            if case .requestAccepted(let data) = event.payload { return data }
        }
        return nil
    }

    /// The wallet that was offered first.
    var wallet: WalletID? { offer?.prompt["wallet"].flatMap { UInt64($0) }.map { WalletID($0) } }

    /// When it came.
    var received: UInt64 { events.first?.time ?? 0 }
}
