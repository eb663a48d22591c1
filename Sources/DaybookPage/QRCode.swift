import CQREncode

/// A QR code (ISO/IEC 18004) of a text, which libqrencode makes.
struct QRCode {
    /// The number of modules of a side.
    let width: Int
    /// Whether a module is dark, row by row.
    let modules: [Bool]

    /// The code of a text; nil if it is too long, or has a NUL.
    init?(_ text: String) {
        guard text.utf8.count <= 512, !text.utf8.contains(0),
            let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { unsafe QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        // The lowest bit says whether a module is dark: qrencode.h, QRcode.
        let data = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        self.width = width
        modules = unsafe data.map { $0 & 1 == 1 }
    }

    /// The code as a picture, dark on light in any colour scheme, with the quiet zone of four.
    var svg: String {
        var path = ""
        for (index, isDark) in modules.enumerated() where isDark {
            path += "M\(index % width + 4) \(index / width + 4)h1v1h-1z"
        }
        let side = width + 8
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" \
            shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\(side)v\(side)H0z"/>\
            <path d="\(path)"/></svg>
            """
    }
}
