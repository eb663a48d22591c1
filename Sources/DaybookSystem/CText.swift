internal import CLinux
internal import Glibc

/// Texts that are exchanged with C code: UTF-8 that ends with NUL.
///
/// Safe because a text is freed only if it is among the texts that were handed out.
package enum CText {
    /// The texts that were handed out and not freed, as addresses with their lengths.
    private static let handedOut = Monitor<[UInt: Int]>([:])

    /// Copies the bytes of a text from C; of a longer text only `limit` bytes.
    package static func bytes(of text: UnsafePointer<CChar>, limit: Int) -> WipedBytes {
        let bytes = WipedBytes()
        unsafe bytes.append(UnsafeRawBufferPointer(start: text, count: strnlen(text, limit)))
        return bytes
    }

    /// Copies a valid text from C; nil if it is no UTF-8 or longer than `limit` bytes.
    package static func string(_ text: UnsafePointer<CChar>, limit: Int) -> String? {
        let bytes = unsafe bytes(of: text, limit: limit + 1).unprotected()
        return bytes.count > limit ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// Copies bytes without NUL to memory of C; nil if there is no memory.
    package static func handOut(_ bytes: WipedBytes) -> UnsafeMutablePointer<CChar>? {
        let count = bytes.count
        guard let memory = unsafe malloc(count + 1) else { return nil }
        bytes.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(start: memory, count: count)
                    .copyMemory(from: bytes)
            }
        }
        unsafe memory.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
        handedOut.change { $0[UInt(bitPattern: memory)] = count }
        return unsafe memory.assumingMemoryBound(to: CChar.self)
    }

    /// Wipes and frees a text; nothing happens if it was not handed out, or is free already.
    package static func free(_ text: UnsafeMutablePointer<CChar>) {
        let address = UInt(bitPattern: text)
        guard let count = handedOut.change({ $0.removeValue(forKey: address) }) else { return }
        unsafe daybook_wipe(text, count)
        unsafe Glibc.free(text)
    }

    /// Copies a text without NUL to memory of C; nil if there is no memory.
    package static func handOut(_ text: String) -> UnsafeMutablePointer<CChar>? {
        unsafe handOut(WipedBytes(copying: Array(text.utf8)))
    }

    /// A text that stays for as long as the process.
    package static func lasting(_ text: String) -> UnsafePointer<CChar>? {
        unsafe UnsafePointer(strdup(text))
    }
}

/// A text that each thread has for itself until it ends, as C's `errno`.
package struct ThreadText: Sendable {
    /// nil if the process has no key left, of the 1024 that it may have.
    private let key: pthread_key_t?

    package init() {
        var made = pthread_key_t()
        let status = unsafe pthread_key_create(&made) { text in unsafe Glibc.free(text) }
        key = status == 0 ? made : nil
    }

    /// The calling thread's text; nil if it has none.
    package var value: String? {
        guard let key, let text = unsafe pthread_getspecific(key) else { return nil }
        return unsafe String(cString: text.assumingMemoryBound(to: CChar.self))
    }

    /// Replaces the calling thread's text.
    package func set(_ text: String?) {
        guard let key else { return }
        if let old = unsafe pthread_getspecific(key) { unsafe Glibc.free(old) }
        unsafe pthread_setspecific(key, text.flatMap { unsafe strdup($0) })
    }
}
