import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// One line of a fixture file: a link, and what becomes of it.
struct LinkFixture: CustomTestStringConvertible, Sendable {
    let file: String
    let number: Int64
    let url: String
    /// The expected outcome in words.
    let says: String
    /// The accepted request.
    let accepts: JSON?
    /// Why it is refused, and what is answered.
    let refuses: JSON?
    /// Answers to an accepted request.
    let answers: [JSON]
    /// The result of an accepted request in the wallets' state.
    let then: JSON?

    var text: Bytes { Bytes(url.utf8) }

    var testDescription: String { "\(file) \(number): \(says)" }

    /// Every line of every file whose lines are links with outcomes.
    static let all = ["dash", "axe", "iconex", "documents", "bip321", "hostile"]
        .flatMap(cases(of:))

    static func cases(of file: String) -> [LinkFixture] {
        (Fixture.links(file)["cases"]?.arrayValue ?? []).map { json in
            LinkFixture(
                file: file, number: json["number"]?.intValue ?? 0,
                url: json["url"]?.stringValue ?? "", says: json["says"]?.stringValue ?? "",
                accepts: json["accepts"], refuses: json["refuses"],
                answers: json["answers"]?.arrayValue ?? [], then: json["then"])
        }
    }
}

extension Fixture {
    /// A file of links; where it can't be read, the test fails.
    static func links(_ name: String) -> JSON {
        do {
            return try json("links/\(name).json")
        } catch {
            Issue.record("\(name).json: \(error)")
            return .null
        }
    }
}
