internal import DaybookCrypto
internal import DaybookEncoding
internal import DaybookSystem

/// Where the archived events of a log are in their segments, in groups, each with a digest.
///
/// It is made by reading all segments once, and only if their events have the root that the log's
/// store names. From then on, each group can be read and checked alone.
struct SegmentIndex: Equatable, Sendable {
    /// The groups of a segment.
    struct Segment: Equatable, Sendable {
        /// The first position.
        let first: UInt64
        /// The last position that the file has.
        let last: UInt64
        /// The offset and the digest of each group, 8 and 32 bytes.
        fileprivate var groups = Bytes()
    }

    let logID: Bytes
    let archived: ArchivedEvents
    private(set) var segments: [Segment] = []

    /// How many events a group has; the last one of a segment may have fewer.
    static let groupSize: UInt64 = 64
    private static let entryBytes = 8 + SHA256.length

    /// Reads the segments of archived events; `progress` gets the number of events so far.
    ///
    /// Those that an earlier index has whole are not read again: `cover` then gives the hashes that
    /// the log's own tree has of their events.
    ///
    /// - Throws: `LogError.segmentMissing`, `segmentChanged`.
    init(
        reading archived: ArchivedEvents, ofLog logID: Bytes,
        after earlier: (index: SegmentIndex, cover: (Range<UInt64>) throws -> [TreeHash])? = nil,
        progress: (UInt64) throws -> Void = { _ in }
    ) throws {
        self.logID = logID
        self.archived = archived
        let files = try Archive.segments(of: archived, ofLog: logID)
        var tree = TreeFold()
        if let (index, cover) = earlier, index.logID == logID,
            index.archived.folder == archived.folder
        {
            segments = zip(index.segments, files).prefix { known, file in
                known.first == file.first && known.last == file.last
                    && file.last < min(index.archived.count, archived.count)
            }.map(\.0)
            let known = 0..<(segments.last.map { $0.last + 1 } ?? 0)
            for (hash, height) in zip(try cover(known), TreeFold.cover(known)) {
                tree.add(hash, height: height)
            }
        }
        try Self.compare(tree, with: earlier?.index.archived)
        for segment in files.dropFirst(segments.count) {
            try SegmentFiles.naming(segment.path) {
                try add(segment, to: &tree) { tree in
                    try Self.compare(tree, with: earlier?.index.archived)
                    if tree.size & 255 == 0 { try progress(tree.size) }
                }
            }
        }
        guard tree.root() == archived.root else {
            throw LogError.segmentChanged(
                path: archived.folder, reason: "its events are not those that the log had")
        }
    }

    /// Checks the tree of an earlier archive's events when it has as many.
    ///
    /// The log's tree is derived, and could be damaged.
    private static func compare(_ tree: TreeFold, with earlier: ArchivedEvents?) throws {
        if let earlier, earlier.count == tree.size, earlier.root != tree.root() {
            throw LogError.damaged(
                position: nil, reason: "the derived tree is not that of the archived events")
        }
    }

    private mutating func add(
        _ file: Archive.Segment, to tree: inout TreeFold, _ progress: (TreeFold) throws -> Void
    ) throws {
        var segment = Segment(first: file.first, last: file.last)
        let reader = try SegmentReader(file, opening: { try SegmentFiles.source(of: $0) })
        var digest = GroupDigest()
        let end = min(file.last + 1, archived.count)
        while tree.size < end {
            guard let item = try reader.next() else {
                throw LogError.segmentChanged(path: file.path, reason: "it ends too early")
            }
            guard case .event(_, let bytes) = item else { continue }
            if (tree.size - file.first) % Self.groupSize == 0 {
                segment.groups += BigEndian.bytes(reader.offset)
            }
            digest.add(bytes)
            tree.add(leaf: bytes)
            if (tree.size - file.first) % Self.groupSize == 0 || tree.size == end {
                segment.groups += digest.finish()
            }
            try progress(tree)
        }
        segments.append(segment)
    }

    /// A group of events.
    struct Group: Equatable, Sendable {
        let positions: Range<UInt64>
        /// The path of its segment.
        let path: String
        /// The offset of its first event in the segment.
        let offset: UInt64
        let digest: Bytes
    }

    /// The group with the event at a position, which is one of an archived event.
    func group(of position: UInt64) -> Group {
        var (low, high) = (0, segments.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if segments[middle].first <= position { low = middle } else { high = middle }
        }
        let segment = segments[low]
        let number = (position - segment.first) / Self.groupSize
        let first = segment.first + number * Self.groupSize
        let entry = segment.groups.dropFirst(Int(number) * Self.entryBytes)
            .prefix(Self.entryBytes)
        let end = min(first + Self.groupSize, segment.last + 1, archived.count)
        return Group(
            positions: first..<end,
            path: Archive.path(
                in: archived.folder, log: Hex.encode(logID), segment.first..<segment.last + 1),
            offset: BigEndian.exactly(entry.prefix(8)) ?? 0, digest: Bytes(entry.dropFirst(8)))
    }
}

/// The digest of the events of a group, each with its length.
struct GroupDigest: ~Copyable {
    private var hasher = SHA256Hasher()

    mutating func add(_ event: Bytes) {
        hasher.update(BigEndian.bytes(UInt64(event.count)))
        hasher.update(event)
    }

    mutating func finish() -> Bytes { hasher.finish() }
}

extension SegmentIndex {
    private static let names = (log: "log", archived: "archived", segments: "segments")

    /// The content of the index's file: a digest, and the map that it is over.
    var encoded: Bytes {
        let map = CBOR.record([
            Self.names.log: .bytes(logID), Self.names.archived: .bytes(archived.encoded),
            Self.names.segments: .array(
                segments.map { segment in
                    .array([
                        .unsigned(segment.first), .unsigned(segment.last), .bytes(segment.groups),
                    ])
                }),
        ]).encoded()
        return SHA256.hash(map) + map
    }

    /// The index in a file's content; nil if it is not whole.
    init?(encoded bytes: Bytes) {
        let content = Bytes(bytes.dropFirst(SHA256.length))
        guard SHA256.hash(content) == Bytes(bytes.prefix(SHA256.length)),
            let map = try? CBOR.decode(content),
            let logID = map[Self.names.log]?.bytesValue,
            let archived = map[Self.names.archived]?.bytesValue
                .flatMap({ ArchivedEvents(encoded: $0) }),
            let segments = map[Self.names.segments]?.arrayValue
        else { return nil }
        self.logID = logID
        self.archived = archived
        for segment in segments {
            guard let fields = segment.arrayValue, fields.count == 3,
                let first = fields[0].uintValue, let last = fields[1].uintValue,
                let groups = fields[2].bytesValue
            else { return nil }
            self.segments.append(Segment(first: first, last: last, groups: groups))
        }
        guard coversArchived else { return nil }
    }

    /// Whether the segments follow each other from the first archived event to the last one, each
    /// with all of its groups.
    private var coversArchived: Bool {
        var next: UInt64 = 0
        for segment in segments {
            guard segment.first == next, next < archived.count, segment.last >= next,
                Position(exactly: segment.last) != nil
            else { return false }
            let events = min(segment.last + 1, archived.count) - next
            let groups = (events - 1) / Self.groupSize + 1
            guard UInt64(segment.groups.count / Self.entryBytes) == groups,
                segment.groups.count % Self.entryBytes == 0
            else { return false }
            next = segment.last + 1
        }
        return next >= archived.count
    }
}
