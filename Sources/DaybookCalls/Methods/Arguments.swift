import Daybook
package import DaybookCommands
package import DaybookEncoding
import DaybookSystem

/// The arguments of a call, checked against the method's parameters.
///
/// No number is greater than an id can be (`EventID.greatest`): arithmetic on one can't overflow.
package struct Arguments: Sendable {
    private let method: Method
    private var values: [JSON.Member]
    private let secrets: SecretArguments
    /// The log that the call is for, which any method takes; nil where it names none.
    let log: String?
    /// Whether they were written on a command line, whose words errors name.
    private let areWords: Bool

    /// Checks names and kinds; an unknown name is an error, so that no misspelt one is ignored.
    init(_ params: JSON?, _ secrets: SecretArguments, for method: Method) throws(CommandFailure) {
        self.method = method
        areWords = false
        let members = try Self.members(params)
        log = try Self.log(in: members)
        values = members.filter { !Text.equal($0.name, "log") }
        self.secrets = secrets
        for member in values {
            let parameter = method.parameters.first { Text.equal($0.name, member.name) }
            guard let parameter else {
                throw .usage(
                    "\(method.name) has no parameter '\(CommandFailure.quoted(member.name))'")
            }
            guard parameter.kind.allows(member.value) else {
                throw .usage("\(parameter.name) takes \(parameter.kind.description)")
            }
        }
        for parameter in method.parameters where parameter.isRequired {
            guard has(parameter.name) else { throw missing(parameter.name) }
        }
    }

    private static func members(_ params: JSON?) throws(CommandFailure) -> [JSON.Member] {
        switch params {
        case nil, .null: return []
        case .object(let members): return members.filter { !$0.value.isNull }
        default: throw .usage("params is an object of named parameters")
        }
    }

    private static func log(in members: [JSON.Member]) throws(CommandFailure) -> String? {
        guard let value = members.first(where: { Text.equal($0.name, "log") })?.value else {
            return nil
        }
        guard let text = value.stringValue, let id = Hex.decode(text), id.count == 16 else {
            throw .usage("log takes a log's id, 32 hex digits")
        }
        return Hex.encode(id)
    }

    subscript(name: String) -> JSON? {
        values.first { Text.equal($0.name, name) }?.value
    }

    func has(_ name: String) -> Bool { self[name] != nil }

    func text(_ name: String) -> String? { self[name]?.stringValue }

    func flag(_ name: String) -> Bool { self[name]?.boolValue ?? false }

    func number(_ name: String) -> UInt64? { self[name].flatMap(Self.number) }

    func id<ID: EventID>(_ name: String) -> ID? { number(name).map { ID($0) } }

    /// A required id, whose presence was checked.
    func id<ID: EventID>(required name: String) throws(CommandFailure) -> ID {
        guard let id: ID = id(name) else { throw missing(name) }
        return id
    }

    func texts(_ name: String) -> [String]? {
        guard case .array(let values) = self[name] else { return nil }
        return values.compactMap(\.stringValue)
    }

    /// Takes a secret, which is wiped when the result is destroyed; it can be taken once.
    func secret(_ name: String) -> Passphrase? { secrets.take(name) }

    /// A required secret.
    func secret(required name: String) throws(CommandFailure) -> Passphrase {
        guard let secret = secrets.take(name) else {
            throw CommandFailure("passphraseMissing", .passphrase, "\(name) is needed")
        }
        return secret
    }

    /// The position after the one that a parameter names; nil without it.
    func next(after name: String) -> Position? {
        guard let value = self[name] else { return nil }
        return Self.number(value).map { Position($0).next } ?? 0
    }

    /// A number of 32 bits, such as a part of a derivation path.
    func number32(_ name: String) throws(CommandFailure) -> UInt32? {
        guard let number = number(name) else { return nil }
        guard let number = UInt32(exactly: number) else {
            throw .usage("\(spelled(name)) is at most \(UInt32.max)")
        }
        return number
    }

    /// An amount of whole coins in minor units.
    func amount(_ name: String, decimals: Int) throws(CommandFailure) -> UInt256? {
        guard let text = text(name) else { return nil }
        return try CoinAmount.parse(text, decimals: decimals)
    }

    /// A required amount.
    func amount(required name: String, decimals: Int) throws(CommandFailure) -> UInt256 {
        guard let amount = try amount(name, decimals: decimals) else { throw missing(name) }
        return amount
    }

    /// The wallet that a parameter names, by id or label.
    func wallet(_ name: String, in store: Store) async throws -> Wallet? {
        guard let value = self[name] else { return nil }
        return try await WalletName.find(
            value.stringValue ?? Self.number(value).map(String.init) ?? "", store)
    }

    /// A required wallet.
    func wallet(required name: String, in store: Store) async throws -> Wallet {
        guard let wallet = try await wallet(name, in: store) else {
            throw missing(name)
        }
        return wallet
    }

    /// The case that a parameter names; an unknown one is an error that lists all.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(CommandFailure) -> Choice? where Choice.RawValue == String {
        guard let text = text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("\(spelled(name)) is one of \(names)")
        }
        return choice
    }

    fileprivate static func number(_ value: JSON) -> UInt64? {
        guard case .number(let literal) = value else { return nil }
        return OutsideNumber.parse(literal)
    }
}

extension Arguments {
    /// The arguments that the words and options of a command are.
    package init(_ invocation: Invocation, for method: Method) throws(CommandFailure) {
        self.method = method
        areWords = true
        log = nil
        secrets = SecretArguments([])
        values = []
        var words = invocation.arguments[...]
        for parameter in method.parameters {
            let given: String?
            switch parameter.place {
            case .word, .optionalWord: given = words.popFirst()
            case .option(let name, _, _): given = invocation.value(name)
            case .words:
                values.append(.init(name: parameter.name, value: .array(words.map(JSON.string))))
                continue
            case nil: continue
            }
            guard let given else { continue }
            let value = try parameter.kind.value(of: given, named: spelled(parameter.name))
            values.append(.init(name: parameter.name, value: value))
        }
    }

    /// The same arguments, but for one.
    package func replacing(_ name: String, with value: JSON) -> Arguments {
        var arguments = self
        arguments.values.removeAll { Text.equal($0.name, name) }
        arguments.values.append(.init(name: name, value: value))
        return arguments
    }

    /// A parameter as the caller writes it: `--debug-url` on a command line, else `debugURL`.
    package func spelled(_ name: String) -> String {
        guard areWords else { return name }
        switch method.parameters.first(where: { Text.equal($0.name, name) })?.place {
        case .word(let word), .optionalWord(let word), .words(let word): return word
        case .option(let option, _, _): return option
        case nil: return name
        }
    }

    /// The error of a call without a parameter that is needed.
    func missing(_ name: String) -> CommandFailure {
        .usage("\(areWords ? method.command ?? "" : method.name) needs \(spelled(name))")
    }

    /// The error of a call with two parameters that exclude each other.
    func notBoth(_ one: String, _ other: String) -> CommandFailure {
        .usage("give \(spelled(one)) or \(spelled(other)), not both")
    }
}

extension Parameter.Kind {
    /// The value that a word of a command line stands for.
    fileprivate func value(of word: String, named name: String) throws(CommandFailure) -> JSON {
        switch self {
        case .text, .wallet, .amount, .secret, .object: .string(word)
        case .number, .position: .int(try Invocation.number(word, name))
        case .flag: .bool(true)
        case .texts: .array(word.split(separator: ",").map { .string(String($0)) })
        }
    }

    fileprivate func allows(_ value: JSON) -> Bool {
        switch self {
        case .text, .secret, .amount: value.stringValue != nil
        case .number: Arguments.number(value) != nil
        case .position: Arguments.number(value) != nil || value.numberLiteral == "-1"
        case .flag: value.boolValue != nil
        case .wallet: value.stringValue != nil || Arguments.number(value) != nil
        case .object: value.stringValue != nil || value.objectValue != nil
        case .texts:
            if case .array(let values) = value {
                values.allSatisfy { $0.stringValue != nil }
            } else {
                false
            }
        }
    }

    fileprivate var description: String {
        switch self {
        case .text, .secret: "a text"
        case .number: "a whole number up to \(OutsideNumber.greatest)"
        case .position: "the position of an event, or -1"
        case .flag: "true or false"
        case .texts: "an array of texts"
        case .object: "an object, or its JSON text"
        case .wallet: "a wallet's id or label"
        case .amount: "a decimal amount as text, such as \"1.5\""
        }
    }
}

/// The secrets among a call's arguments, which are wiped when the call is over.
final class SecretArguments: Sendable {
    private let values: Monitor<[(name: String, bytes: WipedBytes)]>

    init(_ values: sending [(name: String, bytes: WipedBytes)]) {
        self.values = Monitor(values)
    }

    /// Takes a secret out.
    func take(_ name: String) -> Passphrase? {
        let taken = values.change { values -> WipedBytes? in
            guard let index = values.firstIndex(where: { Text.equal($0.name, name) }) else {
                return nil
            }
            return values.remove(at: index).bytes
        }
        guard let taken else { return nil }
        return Passphrase(taken)
    }
}
