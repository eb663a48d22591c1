/// What a line says that it is, under the name `item`.
enum LineKind: String {
    case header = "header"
    case event = "event"
    case leftOut = "left-out"
    case checkpoint = "checkpoint"
    case trailer = "trailer"
}
