/// Schema 2 of a database: where the oldest events of a log are, if only an archive has them.
///
/// A log's row then has their number, the root of the tree over them, and the archive's folder.
enum P0002_NoteArchivedEvents {
    static let statements = """
        ALTER TABLE daybook.logs ADD COLUMN archived bigint NOT NULL DEFAULT 0;
        ALTER TABLE daybook.logs ADD COLUMN archived_root bytea;
        ALTER TABLE daybook.logs ADD COLUMN archived_in text;
        UPDATE daybook.meta SET version = 2;
        """
}
