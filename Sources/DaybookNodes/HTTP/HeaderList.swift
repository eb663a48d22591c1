internal import CCurl

/// A list of headers as libcurl takes them; it must live as long as the transfer.
///
/// Safe: the list has one owner and is freed by `deinit` alone.
@safe struct HeaderList: ~Copyable {
    let first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) {
        var first: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            precondition(
                line.utf8.allSatisfy { (0x20...0x7E).contains($0) },
                "the callers write headers of one line in ASCII")
            guard let longer = unsafe curl_slist_append(first, line) else {
                preconditionFailure("a list does not grow only when there is no memory left")
            }
            unsafe first = longer
        }
        unsafe self.first = first
    }

    deinit {
        unsafe curl_slist_free_all(first)
    }
}
