import DaybookCrypto
import DaybookEncoding

/// Decodes frames; each frame's checksum is verified before its content is used.
final class FrameDecoder: ExportDecoder {
    private var input: ByteInput
    private var chain = FrameChain()
    private(set) var place = ExportPlace(unit: .frame, number: 0, offset: 0)
    private var isFirst = true

    /// A decoder of an input that begins with the format's name.
    init(_ input: consuming ByteInput) throws(ExportFault) {
        let version = UInt64(input.peek(at: FrameFile.name.count))
        if version != ExportLimits.version {
            throw .tooNew(found: version, known: ExportLimits.version)
        }
        _ = input.take(FrameFile.magic.count)
        self.input = input
    }

    func next() throws -> ExportItem {
        if !isFirst { place.number += 1 }
        isFirst = false
        place.offset = input.offset
        let headBytes = FrameFile.headBytes
        guard try input.require(headBytes) == headBytes else { throw ExportFault.truncated }
        let length = (1..<headBytes).reduce(0) { $0 << 8 | Int(input.peek(at: $1)) }
        let limit = ExportLimits.payloadBytes
        if length > limit { throw ExportFault.tooLarge(bytes: UInt64(length), limit: limit) }
        let frameBytes = headBytes + length + SHA256.length
        guard try input.require(frameBytes) == frameBytes else { throw ExportFault.truncated }
        let head = input.take(headBytes)
        let payload = input.take(length)
        guard chain.checksum(head, payload) == input.take(SHA256.length) else {
            throw ExportFault.altered
        }
        return try Self.item(head[0], payload)
    }

    func isAtEnd() throws -> Bool { try input.require(1) == 0 }

    private static func item(_ kind: UInt8, _ payload: Bytes) throws(ExportFault) -> ExportItem {
        switch FrameKind(rawValue: kind) {
        case .header: return .header(try ExportHeader(try fields(payload)))
        case .event:
            do {
                return try .event(payload)
            } catch {
                throw .badEvent(error)
            }
        case .leftOut: return .leftOut(try LeftOut(try fields(payload)))
        case .checkpoint: return .checkpoint(payload)
        case .trailer: return .trailer(try ExportTrailer(try fields(payload)))
        case nil: throw .unknownKind("0x\(Hex.encode([kind]))")
        }
    }

    private static func fields(_ payload: Bytes) throws(ExportFault) -> ItemFields {
        let record: CBOR
        do {
            record = try CBOR.decode(payload)
        } catch {
            throw .notCanonical(error)
        }
        return try ItemFields(record)
    }
}
