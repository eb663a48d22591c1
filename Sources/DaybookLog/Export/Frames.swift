import DaybookCrypto
import DaybookEncoding

/// An item encoded as a frame, over which both formats compute their checksums.
struct Frame {
    let head: Bytes
    let payload: Bytes

    init(_ item: ExportItem) {
        let kind: FrameKind
        switch item {
        case .header(let header): (kind, payload) = (.header, header.coded.encoded())
        case .event(_, let bytes): (kind, payload) = (.event, bytes)
        case .leftOut(let run): (kind, payload) = (.leftOut, run.coded.encoded())
        case .checkpoint(let note): (kind, payload) = (.checkpoint, note)
        case .trailer(let trailer): (kind, payload) = (.trailer, trailer.coded.encoded())
        }
        head = FrameFile.head(kind: kind.rawValue, length: payload.count)
    }
}

/// The first byte of a frame: a letter, which is easy to see in a hex dump.
enum FrameKind: UInt8 {
    case header = 0x48  // H
    case event = 0x45  // E
    case leftOut = 0x4c  // L
    case checkpoint = 0x43  // C
    case trailer = 0x54  // T
}

/// The beginning of a file of frames, and of each frame.
enum FrameFile {
    /// The first bytes of every version.
    static let name = Bytes("daybook".utf8)
    /// The bytes of the kind and the payload's length.
    static let headBytes = 5

    /// The first bytes: `daybook` and the number of the format as one byte.
    static let magic = magic(of: FormatNumber.export.current)

    static func magic(of format: UInt64) -> Bytes { name + [UInt8(truncatingIfNeeded: format)] }

    /// The kind, then the length as four bytes, big-endian.
    static func head(kind: UInt8, length: Int) -> Bytes {
        let shifts = stride(from: 24, through: 0, by: -8)
        return [kind] + shifts.map { UInt8(truncatingIfNeeded: length >> $0) }
    }
}

/// The checksums of frames: each is over the last checksum and its own frame.
///
/// If a frame is altered, moved, removed or inserted, the next checksum no longer matches.
struct FrameChain: ~Copyable {
    private var hasher = SHA256Hasher()
    private var last: Bytes

    /// A chain that begins with the digest of the first bytes of a file of this format.
    ///
    /// A file of an earlier format has checksums that begin with its own number.
    init(of format: UInt64 = FormatNumber.export.current) {
        hasher.update(FrameFile.magic(of: format))
        last = hasher.finish()
    }

    /// The checksum of the next frame.
    mutating func checksum(_ head: Bytes, _ payload: Bytes) -> Bytes {
        hasher.update(last)
        hasher.update(head)
        hasher.update(payload)
        last = hasher.finish()
        return last
    }
}

/// Encodes items as frames.
final class FrameEncoder: ExportEncoder {
    private var chain = FrameChain()

    func encode(_ item: ExportItem) -> Bytes {
        let frame = Frame(item)
        let bytes = frame.head + frame.payload + chain.checksum(frame.head, frame.payload)
        if case .header = item { return FrameFile.magic + bytes }
        return bytes
    }
}

/// Decodes frames; each frame's checksum is verified before its content is used.
final class FrameDecoder: ExportDecoder {
    private var input: ByteInput
    private var chain: FrameChain
    private let isProven: Bool
    private(set) var place = ExportPlace(unit: .frame, number: 0, offset: 0)
    private var isFirst = true

    /// A decoder of an input that begins with the format's name, and may be proven already.
    init(_ input: consuming ByteInput, isProven: Bool) throws(ExportFault) {
        self.isProven = isProven
        let format = UInt64(input.peek(at: FrameFile.name.count))
        try FormatNumber.export.check(format, orThrow: ExportFault.unknownFormat)
        chain = FrameChain(of: format)
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
        let checksum = input.take(SHA256.length)
        guard isProven || chain.checksum(head, payload) == checksum else {
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
