package import DaybookEncoding

/// A session: which engine decides in it, under which settings.
package struct SessionRow: StateRow {
    package var engine: UInt64
    package var settings: Settings

    package init(engine: UInt64, settings: Settings) {
        self.engine = engine
        self.settings = settings
    }

    package var coded: CBOR {
        .record(["engine": .unsigned(engine), "settings": settings.coded])
    }

    package init(_ fields: Fields) throws(FieldError) {
        engine = try fields.number("engine")
        settings = try Settings(try fields.fields("settings"))
    }
}
