import DaybookCrypto
import DaybookEncoding

/// The checksums of frames, each over the one before it and its own frame.
///
/// So each frame vouches for all before it: none can be altered, moved, taken out or put in
/// without the first frame behind that place showing it.
struct FrameChain: ~Copyable {
    private var hasher = SHA256Hasher()
    private var last: Bytes

    /// Begins with the digest of the bytes that the file begins with.
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
