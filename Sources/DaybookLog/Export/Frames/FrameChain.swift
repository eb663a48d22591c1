import DaybookCrypto
import DaybookEncoding

/// The checksums of frames: each is over the last checksum and its own frame.
///
/// If a frame is altered, moved, removed or inserted, the next checksum no longer matches.
struct FrameChain: ~Copyable {
    private var hasher = SHA256Hasher()
    private var last: Bytes

    /// A chain that begins with the digest of the file's first bytes.
    init() {
        hasher.update(FrameFile.magic)
        last = hasher.finish()
    }

    /// The checksum of the next frame.
    mutating func checksum(_ head: Bytes, _ payload: Bytes) -> Bytes {
        hasher.update(last)
        hasher.update(head)
        hasher.update(payload)
        last = hasher.finish()
        return last
    }
}
