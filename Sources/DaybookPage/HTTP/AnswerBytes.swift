import CMicroHTTPD
import DaybookSystem

/// The bytes of an answer, which may hold the words of a new wallet; wiped when they were sent.
///
/// Safe because nothing changes them between `init` and `deinit`.
@safe final class AnswerBytes: Sendable {
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    private let count: Int

    /// Copies bytes to memory that stays where it is.
    init(_ bytes: WipedBytes) {
        let count = bytes.count
        self.count = count
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(count, 1), alignment: 1)
        bytes.withBytes { unsafe $0.withUnsafeBytes { unsafe memory.copyMemory(from: $0) } }
        unsafe self.bytes = memory
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
