import DaybookChains
import DaybookEncoding

/// The bytes of the file that a watched wallet has in place of a sealed one: all in the clear.
///
/// A CBOR array: a name, the version and the public material.
struct WatchFile: Equatable {
    let material: PublicMaterial

    init(material: PublicMaterial) {
        self.material = material
    }

    /// What bytes spell that `encoded` wrote; nil for all others.
    init?(decoding bytes: Bytes) {
        guard let fields = (try? CBOR.decode(bytes))?.arrayValue, fields.count == 3,
            fields[0].textValue == Self.name, fields[1].uintValue == Self.version,
            let material = PublicMaterial(fields[2])
        else { return nil }
        self.material = material
        guard encoded() == bytes else { return nil }
    }

    func encoded() -> Bytes {
        CBOR.array([.text(Self.name), .unsigned(Self.version), material.coded]).encoded()
    }

    private static let name = "daybook watch"
    private static let version: UInt64 = 1
}
