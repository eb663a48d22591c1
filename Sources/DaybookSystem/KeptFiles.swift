/// The contents of decoded files, which are decoded again when their files have changed.
///
/// A file is what the system says of it before it is read; what may change without showing is not
/// kept.
package final class KeptFiles<Content: Sendable>: Sendable {
    private typealias Kept = (file: FileInformation?, content: Content)

    private let kept = Monitor<[String: Kept]>([:])
    private let capacity: Int

    /// Keeps the contents of at most so many files.
    package init(capacity: Int) { self.capacity = capacity }

    /// The content of the file at a path, of which the system says `file`; nil if it is missing.
    package func content<Failure>(
        of path: String, _ file: FileInformation?,
        decoding decode: () throws(Failure) -> Content
    ) throws(Failure) -> Content {
        if let last = kept.change({ $0[path] }), last.file == file { return last.content }
        // A change between this and the reading shows the next time.
        let canBeKept = file?.showsChanges ?? true
        let content = try decode()
        kept.change { kept in
            if kept.count >= capacity { kept = [:] }
            kept[path] = canBeKept ? (file, content) : nil
        }
        return content
    }
}
