/// What is wrong with one field of a transaction's params.
package struct ICONFieldError: Error, Hashable, CustomStringConvertible {
    /// The kind of fault.
    package enum Problem: Hashable, Sendable {
        /// A required field is absent, or an empty text.
        case missing
        /// A field that transactions do not have.
        case unknown
        /// A field that must be text is something else.
        case notText
        /// A text or object that does not have its field's form.
        case malformed
    }

    /// The field's name, such as `stepLimit`; names of unknown fields are cut at 64 characters.
    package let key: String
    /// The kind of fault.
    package let problem: Problem
    /// The node's word for the rule that is broken, such as `t_int`.
    package let rule: String
    /// What the node says is at fault: the key, or a place below `data`.
    package let place: String

    init(key: String, problem: Problem, rule: String, place: String? = nil) {
        self.key = String(key.prefix(64))
        self.problem = problem
        self.rule = rule
        self.place = String((place ?? key).prefix(64))
    }

    /// The key and what is wrong with it, for people.
    package var description: String {
        switch problem {
        case .missing: "'\(key)' is missing"
        case .unknown: "'\(key)' is not a transaction's field"
        case .notText: "'\(key)' is not text"
        case .malformed: "'\(place)' breaks the rule \(rule)"
        }
    }
}
