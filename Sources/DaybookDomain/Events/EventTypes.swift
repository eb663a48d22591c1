package import DaybookEncoding
internal import DaybookUpcasters

/// The types of events that a program reads, in every version that they ever had.
///
/// A reader takes the newest version of its type; upcasters bring the data of older ones there.
package struct EventTypes: Sendable {
    private let readers: PayloadReader.Table
    private let upcasters: Upcasters

    /// Those of this program.
    package static let current = EventTypes(PayloadReader.known, .all)

    /// Readers, and the upcasters that lead to their versions.
    init(_ readers: PayloadReader.Table, _ upcasters: Upcasters) {
        (self.readers, self.upcasters) = (readers, upcasters)
    }

    /// The reader of exactly this version of a type.
    func reader(of type: Span<UInt8>, version: UInt64) -> PayloadReader.Read? {
        readers[type, version]
    }

    /// The newest version of a type, and data of an older version as that one has it.
    ///
    /// Nil for an unknown type or version, and for the newest version.
    package func newest(
        _ data: EncodedCBOR, of type: Span<UInt8>, from version: UInt64
    ) -> (data: EncodedCBOR, version: UInt64)? {
        guard let newest = readers.version(of: type), version < newest,
            let value = upcasters.newest(data.value, of: type.text, from: version)
        else { return nil }
        return (EncodedCBOR(value), newest)
    }

    /// Whether events of a type and version are read.
    package func reads(_ type: String, version: UInt64) -> Bool {
        guard let newest = readers.version(of: type.utf8.span) else { return false }
        return (1...newest).contains(version) && upcasters.newest(of: type) == newest
    }

    /// The names of the types, sorted.
    package var names: [String] {
        readers.names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
