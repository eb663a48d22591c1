import DaybookEncoding
import Testing

@testable import DaybookDomain

struct EventCodingTests {
    @Test func `every type of event has a sample`() {
        let types = Set(Samples.all.map { type(of: $0.data).type })
        #expect(types == Set(Payload.types))
    }

    @Test(arguments: Samples.all)
    func `an event's data is read as it was written`(payload: Payload) throws {
        let bytes = payload.data.encoded()
        let type = type(of: payload.data).type
        let read = try Payload(type: type, version: 1, data: try EncodedCBOR(bytes))
        #expect(read == payload)
        #expect(read?.data.encoded() == bytes)
        #expect(read?.isInput == payload.isInput)
    }

    @Test(arguments: Samples.all)
    func `a field of the wrong type is named with its whole path`(payload: Payload) throws {
        let type = type(of: payload.data).type
        for change in Self.wrongTypes(try CBOR.decode(payload.data.encoded()), "data") {
            var named: String?
            do {
                _ = try Payload(type: type, version: 1, data: EncodedCBOR(change.data))
            } catch {
                named = error.field
            }
            #expect(named == change.path, "\(type)")
        }
    }

    @Test func `another type or version is unknown, not an error`() throws {
        for payload in Samples.all {
            let data = try EncodedCBOR(payload.data.encoded())
            let type = type(of: payload.data).type
            #expect(try Payload(type: type, version: 2, data: data) == nil)
            #expect(try Payload(type: type + "x", version: 1, data: data) == nil)
        }
    }

    private struct WrongType {
        let path: String
        let data: CBOR
    }

    /// Each leaf replaced by a value of a type that no leaf has, with the name it must be given.
    private static func wrongTypes(_ value: CBOR, _ path: String) -> [WrongType] {
        switch value {
        case .map(let entries):
            return entries.indices.flatMap { index -> [WrongType] in
                let name = "\(path).\(entries[index].key.textValue ?? "")"
                return wrongTypes(entries[index].value, name).map { change in
                    var changed = entries
                    changed[index].value = change.data
                    return WrongType(path: change.path, data: .map(changed))
                }
            }
        case .array(let items):
            // The two texts of a prompt's line are one field.
            let isLine = path.hasPrefix("data.prompt.") && path.hasSuffix("]")
            return items.indices.flatMap { index -> [WrongType] in
                wrongTypes(items[index], "\(path)[\(index)]").map { change in
                    var changed = items
                    changed[index] = change.data
                    return WrongType(path: isLine ? path : change.path, data: .array(changed))
                }
            }
        default:
            return [WrongType(path: path, data: .array([.bool(false)]))]
        }
    }
}
