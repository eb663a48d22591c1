import DaybookEncoding

/// An item as bytes: the content of a frame, from which both formats compute their checksums.
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
