package import Daybook
package import DaybookCommands
import DaybookEncoding

extension LogEvent {
    /// The event on one line for people, with long values cut.
    package var text: TerminalText {
        get throws {
            let fields = try JSON.parse(Array(data.utf8)).objectValue ?? []
            let values: [TerminalText] = fields.map { field in
                "\(Self.cut(Self.name(field.name)))=\(Self.short(field.value))"
            }
            let place = request.map { " request \($0)" } ?? ""
            let origin = cause.map { " because of \($0)" } ?? " by \(actor)"
            let head: TerminalText =
                "\(position)  \(Timestamp.seconds(time))  \(type)\(place)\(origin)"
            return values.isEmpty ? head : "\(head)\n      \(values.joined(separator: " "))"
        }
    }

    /// A field's name, quoted if it could be misread as several fields.
    private static func name(_ name: String) -> String {
        name.utf8.contains { " =\"".utf8.contains($0) }
            ? Text.escaped(JSON.string(name).text()) : Text.escaped(name)
    }

    private static func short(_ value: JSON) -> String {
        let whole: String
        if let hex = value["$hex"]?.stringValue {
            whole = readable(hex) ?? hex
        } else if let text = value.stringValue {
            whole = Text.escaped(text)
        } else {
            whole = Text.escaped(value.text())
        }
        return cut(whole)
    }

    private static func cut(_ whole: String) -> String {
        whole.count <= 80 ? whole : whole.prefix(79) + "…"
    }

    /// Bytes that are a line of ASCII, such as a link, are shown as text.
    private static func readable(_ hex: String) -> String? {
        guard let bytes = Hex.decode(hex), !bytes.isEmpty,
            bytes.allSatisfy({ (0x20..<0x7f).contains($0) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
