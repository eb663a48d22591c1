import DaybookDomain
import Foundation

/// Draws the states of a request and the steps between them, as `docs/payment-states.svg` has it.
///
/// The steps come from the table by which the program itself tells where a request stands; only
/// the places on the page are chosen here.
enum PaymentStateDrawing {
    private struct Place {
        let x: Double
        let y: Double
    }

    private static let size = (width: 1560.0, height: 860.0)
    private static let box = (width: 104.0, height: 30.0)

    private static func place(of state: PaymentState) -> Place {
        switch state {
        case .received: Place(x: 92, y: 399)
        case .deferred: Place(x: 277, y: 226)
        case .pending: Place(x: 462, y: 399)
        case .approved: Place(x: 660, y: 399)
        case .signed: Place(x: 858, y: 399)
        case .sent: Place(x: 1096, y: 399)
        case .locked: Place(x: 1267, y: 146)
        case .confirmed: Place(x: 1439, y: 399)
        case .answered: Place(x: 568, y: 106)
        case .coalesced: Place(x: 92, y: 638)
        case .refused: Place(x: 277, y: 572)
        case .expired: Place(x: 409, y: 718)
        case .rejected: Place(x: 660, y: 745)
        case .failed: Place(x: 898, y: 745)
        case .dropped: Place(x: 1135, y: 745)
        case .cancelled: Place(x: 1267, y: 638)
        case .failedOnChain: Place(x: 1439, y: 745)
        }
    }

    /// The steps between two states, which are one arrow.
    private struct Arrow {
        let from: PaymentState
        let to: PaymentState
        var names: [String]
    }

    private static var arrows: [Arrow] {
        var arrows: [Arrow] = []
        for step in PaymentTransition.all {
            let name = String(step.event.rawValue.split(separator: ".").dropFirst().joined())
            let same = arrows.firstIndex { $0.from == step.from && $0.to == step.to }
            if let same {
                arrows[same].names.append(name)
            } else {
                arrows.append(Arrow(from: step.from, to: step.to, names: [name]))
            }
        }
        return arrows
    }

    static func svg() -> String {
        let (width, height) = (Int(size.width), Int(size.height))
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
            font-family="sans-serif" font-size="13">
            <title>The states of a request, and the events that lead from one to the next</title>
            <rect width="100%" height="100%" fill="#ffffff"/>
            <defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" \
            markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#666666"/>\
            </marker></defs>
            """
        let lines = arrows.map(draw)
        let boxes = PaymentState.allCases.map(draw)
        let parts = [head] + lines.map(\.path) + lines.map(\.label) + boxes + ["</svg>"]
        return parts.joined(separator: "\n") + "\n"
    }

    /// An arrow, and what it is called: names lie above all arrows.
    private static func draw(_ arrow: Arrow) -> (path: String, label: String) {
        let (from, to) = (place(of: arrow.from), place(of: arrow.to))
        let names = arrow.names.joined(separator: ", ")
        if arrow.from == arrow.to {
            let y = from.y - box.height / 2
            let path =
                "<path d=\"M\(number(from.x - 18)),\(number(y)) c-8,-26 44,-26 36,0\""
                + " fill=\"none\" stroke=\"#666666\" marker-end=\"url(#head)\"/>"
            return (path, text(names, at: Place(x: from.x, y: y - 24)))
        }
        let (dx, dy) = (to.x - from.x, to.y - from.y)
        let length = (dx * dx + dy * dy).squareRoot()
        // Arrows there and back bend apart.
        let bend = length < 190 ? 0.16 : 0.22
        let control = Place(x: from.x + dx / 2 + dy * bend, y: from.y + dy / 2 - dx * bend)
        let start = edge(of: from, towards: control)
        let end = edge(of: to, towards: control)
        let middle = Place(
            x: (start.x + 2 * control.x + end.x) / 4, y: (start.y + 2 * control.y + end.y) / 4)
        let path =
            "<path d=\"M\(number(start.x)),\(number(start.y)) Q\(number(control.x)),"
            + "\(number(control.y)) \(number(end.x)),\(number(end.y))\" fill=\"none\""
            + " stroke=\"#666666\" marker-end=\"url(#head)\"/>"
        return (path, text(names, at: middle))
    }

    /// Where a line from the middle of a box to a point leaves the box.
    private static func edge(of place: Place, towards point: Place) -> Place {
        let (dx, dy) = (point.x - place.x, point.y - place.y)
        let across = dx == 0 ? Double.infinity : box.width / 2 / abs(dx)
        let down = dy == 0 ? Double.infinity : box.height / 2 / abs(dy)
        let share = min(across, down)
        return Place(x: place.x + dx * share, y: place.y + dy * share)
    }

    private static func draw(_ state: PaymentState) -> String {
        let middle = place(of: state)
        let fill =
            switch state {
            case .confirmed, .answered, .locked: "#d9efe3"
            case .failed, .dropped, .cancelled, .failedOnChain, .refused: "#f7dcd6"
            case .rejected, .expired, .coalesced: "#e6e6e6"
            default: "#dbe8f6"
            }
        let corner = Place(x: middle.x - box.width / 2, y: middle.y - box.height / 2)
        return "<rect x=\"\(number(corner.x))\" y=\"\(number(corner.y))\""
            + " width=\"\(number(box.width))\" height=\"\(number(box.height))\" rx=\"6\""
            + " fill=\"\(fill)\" stroke=\"#333333\"/>\n"
            + "<text x=\"\(number(middle.x))\" y=\"\(number(middle.y + 5))\" text-anchor=\"middle\""
            + " fill=\"#111111\">\(state.rawValue)</text>"
    }

    /// Words on a white edge, so that they can be read where arrows pass.
    private static func text(_ words: String, at place: Place) -> String {
        let start =
            "<text x=\"\(number(place.x))\" y=\"\(number(place.y))\" text-anchor=\"middle\""
            + " font-size=\"11\""
        let edge = " stroke=\"#ffffff\" stroke-width=\"4\" stroke-linejoin=\"round\""
        return "\(start)\(edge)>\(words)</text>\n\(start) fill=\"#333333\">\(words)</text>"
    }

    private static func number(_ value: Double) -> String { String(Int(value.rounded())) }
}
