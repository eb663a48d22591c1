/// The kind of a line: its member `item`.
enum LineKind: String {
    case header = "header"
    case event = "event"
    case leftOut = "left-out"
    case checkpoint = "checkpoint"
    case trailer = "trailer"
}
