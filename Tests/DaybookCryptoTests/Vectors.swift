import DaybookEncoding
import Foundation

/// Reads the published vectors under `Tests/Fixtures`.
enum Vectors {
    static func load<Content: Decodable>(_ path: String, as type: Content.Type) throws -> Content {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures")
        return try JSONDecoder().decode(
            type, from: Data(contentsOf: fixtures.appending(path: path)))
    }
}

/// The bytes of a hexadecimal literal; a typing error in a test stops the test.
func bytes(_ hex: String) -> Bytes {
    let digits = hex.map { UInt8($0.hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
