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

    /// Gives the place back when `close` is done, and lets nobody claim any place before that.
    ///
    /// As soon as a deleted file is closed, a new file may get its number.
    static func release(_ identity: Identity, _ close: () -> Void) {
        identities.withLock { identities in
            close()
            identities.remove(identity)
        }
    }
}
