import CMicroHTTPD

/// The bytes of an answer, which may hold the words of a new wallet; wiped when they were sent.
///
/// Safe because nothing changes them between `init` and `deinit`.
@safe final class AnswerBytes: Sendable {
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    private let count: Int

    /// Moves bytes to memory that stays where it is.
    init(wiping bytes: consuming [UInt8]) {
        var bytes = bytes
        count = bytes.count
        unsafe self.bytes = .allocate(byteCount: max(bytes.count, 1), alignment: 1)
        unsafe self.bytes.copyBytes(from: bytes)
        WebExchange.wipe(&bytes)
    }

    deinit {
        unsafe daybook_mhd_wipe(bytes.baseAddress, bytes.count)
        unsafe bytes.deallocate()
    }

    /// A response that keeps the bytes until libmicrohttpd has sent them.
    func response() -> OpaquePointer? {
        unsafe MHD_create_response_from_buffer_with_free_callback_cls(
            count, bytes.baseAddress,
            { closure in
                guard let closure = unsafe closure else { return }
                unsafe Unmanaged<AnswerBytes>.fromOpaque(closure).release()
            }, Unmanaged.passRetained(self).toOpaque())
    }
}
