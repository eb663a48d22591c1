import DaybookSystem
import Foundation

/// A test's end of a pipe to or from a program; closed when nothing refers to it.
package final class PipeEnd: Sendable {
    let descriptor: Int32
    private let isOpen = Monitor(true)
    private let received = Monitor<[UInt8]>([])

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    /// Closes it; closing it again does nothing.
    package func close() {
        isOpen.change { isOpen in
            if isOpen { Foundation.close(descriptor) }
            isOpen = false
        }
    }

    /// Writes bytes; throws if the program has closed its end.
    package func write(_ bytes: some Sequence<UInt8>) throws {
        try FileHandle(fileDescriptor: descriptor).write(contentsOf: Data(bytes))
    }

    /// The bytes that the program has written and nobody has taken.
    package var unread: [UInt8] { received.change { $0 } }

    /// Waits until the program writes more; false if it does no more.
    @discardableResult
    package func waitForMore() -> Bool {
        received.change { received in
            let more = readChunk()
            received += more
            return !more.isEmpty
        }
    }

    /// Takes what the program has written.
    package func take() -> [UInt8] {
        received.change { received in
            defer { received = [] }
            return received
        }
    }

    /// Takes the next line, without its end; what is left at the end of the pipe, nil after it.
    package func line() -> String? {
        message(endedBy: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same for messages that another byte ends.
    package func message(endedBy separator: UInt8) -> [UInt8]? {
        received.change { received in
            var end = received.firstIndex(of: separator)
            while end == nil {
                let more = readChunk()
                if more.isEmpty { break }
                end = more.firstIndex(of: separator).map { received.count + $0 }
                received += more
            }
            if end == nil, received.isEmpty { return nil }
            let message = Array(received[..<(end ?? received.count)])
            received.removeFirst(end.map { $0 + 1 } ?? received.count)
            return message
        }
    }

    private func readChunk() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count >= 0 { return Array(buffer[..<count]) }
            // A signal may interrupt it.
            if errno != EINTR { return [] }
        }
    }
}
