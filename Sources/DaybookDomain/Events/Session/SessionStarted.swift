import DaybookCrypto
package import DaybookEncoding

/// A front end writes, and not as it did last: who, and which code decides from here on.
package struct SessionStarted: EventData {
    package static let type = "session.started"

    /// The front end's own name, such as `daybook`.
    package let frontEnd: String
    /// The version of the rules by which `decide` works; see `Engine`.
    package let engine: UInt64
    package let libraries: [Library]
    package let settings: Settings

    /// A C library that was linked, and its version.
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

    /// Tells sessions apart that one front end has under different rules.
    package var digest: Bytes { SHA256.hash(coded.encoded()) }

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
