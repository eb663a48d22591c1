internal import DaybookSystem
internal import Synchronization

/// Which data files this process has open, because LMDB must not open one twice.
///
/// lmdb.h, "Caveats": a second open and its close would drop the advisory locks of the first.
enum OpenEnvironments {
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    private static let identities = Mutex<Set<Identity>>([])

    /// Takes the place of a file; false if it is taken.
    static func claim(_ identity: Identity) -> Bool {
        identities.withLock { $0.insert(identity).inserted }
    }

    static func release(_ identity: Identity) {
        identities.withLock { _ = $0.remove(identity) }
    }
}
