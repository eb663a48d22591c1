internal import DaybookSystem
internal import Synchronization

/// The mapped file of an environment, and how long it was found to be.
struct Mapping: Sendable {
    let file: MappedFile
    let bytes: Int
}

extension Environment {
    /// How often a snapshot is begun again while others commit.
    static let attempts = 100
    /// mdb.c, MDB_IDL_UM_MAX: one transaction can't leave more pages unwritten behind the end.
    private static let unwrittenShift = 17

    /// The pages of a commit; nil if the second commit after it has overwritten its meta page.
    func checkedPages(of commit: UInt64) throws(LMDBError) -> CheckedPages? {
        func read() throws(LMDBError) -> MetaPage {
            let metas = try metaPages()
            return commit & 1 == 0 ? metas.0 : metas.1
        }
        let meta = try read()
        // Read twice, as another process may be writing to it.
        guard meta.commit == commit, try read() == meta, meta.pages >= 2,
            meta.pages <= UInt64(Int.max / meta.pageBytes)
        else { return nil }
        let bytes = Int(meta.pages) * meta.pageBytes
        let mapping = try mapped(bytes)
        if bytes - mapping.bytes > meta.pageBytes << Self.unwrittenShift { return nil }
        let known = sound.change { sound in
            defer { sound = nil }
            return sound
        }
        let kept = known.flatMap { $0.commit == commit ? $0 : nil }
        return try CheckedPages(
            meta, in: mapping, known: kept ?? SoundPages(of: meta), damage)
    }

    /// Checks that the last two commits follow each other, as they do unless a copy mixed them.
    func checkCommits() throws(LMDBError) {
        for _ in 0..<Self.attempts {
            let metas = try metaPages()
            let (even, odd) = (metas.0.commit, metas.1.commit)
            // A crash can undo a commit of a cache that another one followed.
            let isNext = options.isCache || even == odd &+ 1 || odd == even &+ 1
            if even & 1 == 0, odd & 1 == 1, isNext { return }
            // Nothing was committed yet.
            if even == 0, odd == 0 { return }
        }
        throw .corrupted
    }

    /// Checks once that no page that LMDB takes for free is anything else.
    func checkFreeList() throws(LMDBError) {
        if isFreeListChecked.load(ordering: .relaxed) { return }
        let metas = try metaPages()
        let meta = metas.0.commit > metas.1.commit ? metas.0 : metas.1
        let fault: PageFault?
        do {
            fault = try PageCheck.freeFault(try descriptor, meta)
        } catch {
            throw error as? LMDBError ?? .corrupted
        }
        if fault != nil {
            damage.note()
            throw .corrupted
        }
        isFreeListChecked.store(true, ordering: .relaxed)
    }

    /// The two meta pages, which commits with even and odd numbers write in turn.
    private func metaPages() throws(LMDBError) -> (MetaPage, MetaPage) {
        let first = try mapped(MetaPage.length)
        guard first.bytes >= MetaPage.length else { throw .corrupted }
        let bytes = unsafe MetaPage(first.file.bytes).pageBytes
        guard (512...65_536).contains(bytes), bytes & (bytes - 1) == 0 else { throw .corrupted }
        let file = try mapped(bytes + MetaPage.length)
        guard file.bytes >= bytes + MetaPage.length else { throw .corrupted }
        let second = unsafe UnsafeRawBufferPointer(rebasing: file.file.bytes[bytes...])
        return unsafe (MetaPage(file.file.bytes), MetaPage(second))
    }

    /// The file's bytes, of which at least so many are mapped, if it has them.
    private func mapped(_ bytes: Int) throws(LMDBError) -> Mapping {
        let descriptor = try descriptor
        do throws(SystemError) {
            return try mapping.change { (mapping) throws(SystemError) in
                if let mapping, mapping.bytes >= bytes, mapping.file.count >= bytes {
                    return mapping
                }
                let size = try FileAccess.size(descriptor)
                let file: MappedFile
                if let present = mapping?.file, present.count >= size {
                    file = present
                } else {
                    file = try MappedFile(descriptor, count: Self.room(for: size))
                }
                let found = Mapping(file: file, bytes: size)
                mapping = found
                return found
            }
        } catch {
            throw LMDBError(rawValue: error.code.rawValue)
        }
    }

    /// How much is mapped of a file, so that it can grow for a while.
    private static func room(for size: Int) -> Int {
        max(1 << 20, size.multipliedReportingOverflow(by: 2).partialValue)
    }
}
