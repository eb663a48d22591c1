package import DaybookEncoding
internal import DaybookSystem

/// The oldest events of a log, which only the segments of an archive have.
///
/// The log's store keeps this in their place. The root ties the segments to the log, so that other
/// ones are refused, whoever wrote them.
package struct ArchivedEvents: Equatable, Sendable {
    /// How many there are: the position of the first event that the log's store still has.
    package let count: UInt64
    /// The root of the tree over them.
    package let root: TreeHash
    /// The absolute path of the archive's folder.
    package let folder: String

    package init(count: UInt64, root: TreeHash, folder: String) {
        self.count = count
        self.root = root
        self.folder = folder
    }
}

extension ArchivedEvents {
    private static let names = (events: "events", root: "root", folder: "folder")

    /// The value of the entry `archived` in the table `meta`.
    package var encoded: Bytes {
        CBOR.record([
            Self.names.events: .unsigned(count), Self.names.root: .bytes(root.bytes),
            Self.names.folder: .text(folder),
        ]).encoded()
    }

    /// The archived events that the entry's value names; nil if it is none.
    package init?(encoded bytes: Bytes) {
        guard let fields = try? CBOR.decode(bytes),
            let count = fields[Self.names.events]?.uintValue, count > 0,
            Position(exactly: count) != nil,
            let root = fields[Self.names.root]?.bytesValue.flatMap({ TreeHash($0) }),
            let folder = fields[Self.names.folder]?.textValue
        else { return nil }
        self.init(count: count, root: root, folder: folder)
    }
}

extension ArchivedEvents {
    /// Checks that a log's segments have the right names; they are not read.
    ///
    /// - Throws: `LogError.segmentMissing`.
    package func checkPresence(ofLog logID: Bytes) throws {
        _ = try Archive.segments(of: self, ofLog: logID)
    }
}

extension Archive {
    /// The segments of a log's archived events, from the names in their folder alone.
    ///
    /// - Throws: `LogError.segmentMissing`.
    static func segments(
        of archived: ArchivedEvents, ofLog logID: Bytes
    ) throws -> [Segment] {
        var names: [String] = []
        do throws(SystemError) {
            names = try Files.list(archived.folder)
        } catch where error.code == .noSuchFile {
            throw LogError.segmentMissing(folder: archived.folder, position: 0)
        } catch {
            throw LogError.system(error)
        }
        let all = names.compactMap { segment($0, in: archived.folder) }
        var next: UInt64 = 0
        var found: [Segment] = []
        for segment in all.sorted(by: { $0.first < $1.first })
        where segment.log == Hex.encode(logID) && segment.first == next && next < archived.count {
            found.append(segment)
            next = segment.last + 1
        }
        guard next >= archived.count else {
            throw LogError.segmentMissing(folder: archived.folder, position: next)
        }
        return found
    }
}
