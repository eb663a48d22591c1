package import DaybookEncoding

/// A front end opened the store to write: who, and which code decides from here on.
package struct SessionStarted: EventData {
    package static let type = "session.started"

    /// The front end's own name, such as `daybook`.
    package let frontEnd: String
    /// The version of the rules by which `decide` works; see `Engine`.
    package let engine: UInt64
    package let libraries: [Library]
    package let settings: Settings

    package struct Library: Equatable, Sendable {
        package let name: String
        package let version: String

        package init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    package init(frontEnd: String, engine: UInt64, libraries: [Library], settings: Settings) {
        self.frontEnd = frontEnd
        self.engine = engine
        self.libraries = libraries
        self.settings = settings
    }

    package var coded: CBOR {
        .record([
            "frontEnd": .text(frontEnd),
            "engine": .unsigned(engine),
            "libraries": .list(libraries) {
                .record(["name": .text($0.name), "version": .text($0.version)])
            },
            "settings": settings.coded,
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        frontEnd = try fields.text("frontEnd")
        engine = try fields.number("engine")
        libraries = try fields.list("libraries") { (item) throws(FieldError) in
            Library(name: try item.text("name"), version: try item.text("version"))
        }
        settings = try Settings(try fields.fields("settings"))
    }
}

/// What a user can set and a decision depends on; recorded, so that a replay decides the same.
package struct Settings: Equatable, Sendable {
    /// How long a request waits for its user.
    package var expirySeconds: UInt64 = 600
    /// Wrong passphrases before the wallet stays locked for a while.
    package var freeUnlockFailures: UInt64 = 3

    package init() {}

    package var coded: CBOR {
        .record([
            "expirySeconds": .unsigned(expirySeconds),
            "freeUnlockFailures": .unsigned(freeUnlockFailures),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        expirySeconds = try fields.number("expirySeconds")
        freeUnlockFailures = try fields.number("freeUnlockFailures")
    }
}

/// A front end closed the store; nothing more comes of its session.
package struct SessionEnded: EventData {
    package static let type = "session.ended"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}

/// The clock was read, and something that waits was due.
package struct TimePassed: EventData {
    package static let type = "time.passed"
    package init() {}
    package var coded: CBOR { .record([:]) }
    package init(_ fields: Fields) throws(FieldError) {}
}
