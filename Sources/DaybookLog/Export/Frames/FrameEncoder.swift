import DaybookEncoding

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
