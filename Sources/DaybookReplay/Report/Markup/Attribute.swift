/// An attribute of an element.
///
/// It can be made in these ways only: a text of a caller's finds none that means something.
struct Attribute {
    let name: String
    /// Not escaped yet; nil for an attribute that is there or not.
    let value: String?

    static func id(_ anchor: Anchor) -> Attribute { Attribute(name: "id", value: anchor.id) }

    static func link(to anchor: Anchor) -> Attribute {
        Attribute(name: "href", value: "#\(anchor.id)")
    }

    /// Any attribute with a value of our own.
    static func fixed(_ name: StaticString, _ value: StaticString) -> Attribute {
        Attribute(name: name.description, value: value.description)
    }

    /// What a browser may load and run: the page's own looks, and its one script.
    static let policy = Attribute(
        name: "content",
        value: "default-src 'none'; script-src '\(ProofScript.digest)'; "
            + "style-src 'unsafe-inline'; img-src data:")

    static func style(_ name: StaticString) -> Attribute { fixed("class", name) }

    static let open = Attribute(name: "open", value: nil)

    /// What a program reads aloud in place of a drawing.
    static func label(_ text: String) -> Attribute {
        Attribute(name: "aria-label", value: text)
    }

    static func number(_ name: StaticString, _ value: Int) -> Attribute {
        Attribute(name: name.description, value: String(value))
    }

    /// The steps that a shape is drawn in.
    static func drawn(_ steps: [Stroke]) -> Attribute {
        Attribute(name: "d", value: steps.map(\.text).joined())
    }

    /// Where in a drawing something stands, in thousandths of its width or height.
    static func place(_ side: Side, thousandths: Int) -> Attribute {
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 10)
        return Attribute(name: "style", value: "\(side.rawValue):\(whole).\(rest)%")
    }

    /// A side of a drawing that places are counted from.
    enum Side: String {
        case left, bottom
    }

    /// One step of a pen.
    enum Stroke {
        case move(Int, Int)
        case across(Int)
        case down(Int)

        var text: String {
            switch self {
            case .move(let x, let y): "M\(x) \(y)"
            case .across(let x): "H\(x)"
            case .down(let y): "V\(y)"
            }
        }
    }
}
