internal import CCurl

// libcurl calls these on the thread of `curl_easy_perform`, and only inside it, with the pointer
// to the `Reception` that `Connection` lends for that time.

/// Takes a header's line; libcurl gives up when fewer bytes are taken than were given.
let takeHeader: curl_write_callback = { bytes, size, count, context in
    guard let reception = unsafe context?.assumingMemoryBound(to: Reception.self) else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe reception.pointee.takeHeader(line.bytes) ? size * count : 0
}

/// Takes a piece of the body.
let takeBody: curl_write_callback = { bytes, size, count, context in
    guard let reception = unsafe context?.assumingMemoryBound(to: Reception.self) else { return 0 }
    let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe reception.pointee.takeBody(piece.bytes) ? size * count : 0
}

/// Stops the transfer when nobody waits for it; libcurl asks once a second, and more when busy.
let takeProgress: curl_xferinfo_callback = { context, _, _, _, _ in
    guard let reception = unsafe context?.assumingMemoryBound(to: Reception.self) else { return 1 }
    return unsafe reception.pointee.call.hasEnded ? 1 : 0
}
