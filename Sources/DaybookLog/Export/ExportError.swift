/// Why an export is refused, where the fault is, and up to where it is good.
package struct ExportError: Error, Equatable, Sendable {
    /// What is wrong.
    package let fault: ExportFault
    /// The frame or line with the fault.
    package let place: ExportPlace
    /// The last position that was read and is good; nil if there was none.
    package let lastGood: UInt64?

    /// An error from all its parts.
    package init(fault: ExportFault, place: ExportPlace, lastGood: UInt64?) {
        self.fault = fault
        self.place = place
        self.lastGood = lastGood
    }
}

extension ExportError: CustomStringConvertible {
    /// One line: the place, the fault, and the last good position.
    package var description: String {
        let good = lastGood.map { "position \($0) is the last good one" } ?? "no position is good"
        return "\(place): \(fault) (\(good))"
    }
}

/// A frame or a line of an export.
package struct ExportPlace: Equatable, Sendable {
    /// The unit that the format counts in.
    package enum Unit: String, Sendable {
        case frame, line
    }

    /// Whether it is a frame or a line.
    package let unit: Unit
    /// Its number: frames count from 0, the header; lines from 1, as in editors.
    package internal(set) var number: UInt64
    /// The offset of its first byte.
    package internal(set) var offset: UInt64

    /// A place from all its parts.
    package init(unit: Unit, number: UInt64, offset: UInt64) {
        self.unit = unit
        self.number = number
        self.offset = offset
    }
}

extension ExportPlace: CustomStringConvertible {
    /// The place for people.
    package var description: String { "\(unit.rawValue) \(number) at byte \(offset)" }
}
