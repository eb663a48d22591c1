/// Schema 10 of a database: the logs and their events.
///
/// The keys of both tables begin with the log's id, by which Citus and others distribute them. A
/// log's row has the number of its events, the root of the tree over them, and the number of the
/// last take-over; whoever changes it keeps all other writers out for that moment. If only an
/// archive has the oldest events, the row has their number, the root of the tree over them, and
/// the archive's folder.
///
/// Each row has the schema's number, too, so that a program that was connected before a migration
/// notices with its next statement. A migration changes the number in `meta` and in all rows, and
/// the default for new ones.
enum P0010_CreateTables {
    static let statements = """
        CREATE SCHEMA daybook;
        CREATE TABLE daybook.logs (
            log_id bytea PRIMARY KEY CHECK (length(log_id) = 16),
            head bigint NOT NULL CHECK (head >= 0),
            root bytea NOT NULL CHECK (length(root) = 32),
            epoch bigint NOT NULL CHECK (epoch > 0),
            archived bigint NOT NULL DEFAULT 0,
            archived_root bytea,
            archived_in text,
            version bigint NOT NULL DEFAULT 10
        );
        CREATE TABLE daybook.events (
            log_id bytea NOT NULL,
            position bigint NOT NULL CHECK (position >= 0),
            bytes bytea NOT NULL,
            PRIMARY KEY (log_id, position)
        );
        CREATE TABLE daybook.meta (
            version bigint NOT NULL
        );
        INSERT INTO daybook.meta VALUES (10);
        """
}
