/// The type of an object that a call returns: its name and its members.
///
/// It is declared beside the code that makes the object. The reference and the Python package are
/// made from it, and a test compares with it what every method returns.
package struct ResultType: Sendable {
    /// The name in the reference and in Python, such as `Request`; unique.
    package let name: String
    /// The type whose members it has, too, if there is one.
    package let bases: [ResultType]
    /// Its own members, in their order.
    package let members: [Member]

    /// A member of an object.
    package struct Member: Sendable {
        package let name: String
        package let kind: Kind
        /// Whether every object has it.
        package let isRequired: Bool
        /// Its meaning, where name and kind do not say it.
        package let help: String

        /// A member that every object has.
        package init(_ name: String, _ kind: Kind, _ help: String = "") {
            self.init(name, kind, help, isRequired: true)
        }

        /// A member that some objects lack.
        package static func optional(
            _ name: String, _ kind: Kind, _ help: String = ""
        ) -> Member {
            Member(name, kind, help, isRequired: false)
        }

        private init(_ name: String, _ kind: Kind, _ help: String, isRequired: Bool) {
            self.name = name
            self.kind = kind
            self.help = help
            self.isRequired = isRequired
        }
    }

    /// The JSON values that a member has.
    ///
    /// A struct, because valgrind takes what an enum's tagged pointer leads to for lost.
    package struct Kind: Sendable {
        package let form: Form
        /// The kind that a list, a map or a value that may be null is of.
        package let part: [Kind]
        /// The type of an object.
        package let type: [ResultType]

        package static let text = Kind(.text)
        package static let number = Kind(.number)
        package static let flag = Kind(.flag)
        /// A time in UTC as ISO 8601.
        package static let time = Kind(.time)
        /// A decimal amount of whole coins or tokens, as text.
        package static let amount = Kind(.amount)
        /// A whole amount in the smallest unit, as text.
        package static let minor = Kind(.minor)
        /// A text that no log or display may show.
        package static let secret = Kind(.secret)
        /// Any value of JSON.
        package static let any = Kind(.any)

        package static func object(_ type: ResultType) -> Kind { Kind(.object, type: [type]) }
        package static func list(_ part: Kind) -> Kind { Kind(.list, [part]) }
        /// An object with members of any names, all of one kind.
        package static func map(_ part: Kind) -> Kind { Kind(.map, [part]) }
        package static func orNull(_ part: Kind) -> Kind { Kind(.orNull, [part]) }

        private init(_ form: Form, _ part: [Kind] = [], type: [ResultType] = []) {
            self.form = form
            self.part = part
            self.type = type
        }
    }

    /// The forms of kinds.
    package enum Form: String, Sendable {
        case text, number, flag, time, amount, minor, secret, any, object, list, map, orNull
    }

    package init(_ name: String, adding base: ResultType? = nil, _ members: [Member]) {
        self.name = name
        bases = base.map { [$0] } ?? []
        self.members = members
    }

    /// A list of objects in one member.
    package static func list(
        _ name: String, _ member: String, of entry: ResultType, _ others: Member...
    ) -> ResultType {
        ResultType(name, [Member(member, .list(.object(entry)))] + others)
    }
}
