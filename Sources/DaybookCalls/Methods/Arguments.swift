package import Daybook
package import DaybookCommands
package import DaybookEncoding
package import DaybookSystem

/// The arguments of a call, checked against the method's parameters.
///
/// No number is greater than an id can be (`EventID.greatest`): arithmetic on one can't overflow.
package struct Arguments: Sendable {
    private let method: Method
    private var values: [JSON.Member]
    private var secrets: SecretArguments
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
            try check(member.value, parameter)
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

    package func has(_ name: String) -> Bool { self[name] != nil }

    package func text(_ name: String) -> String? { self[name]?.stringValue }

    package func flag(_ name: String) -> Bool { self[name]?.boolValue ?? false }

    package func number(_ name: String) -> UInt64? { self[name].flatMap(Self.number) }

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
    package func secret(_ name: String) throws -> Passphrase? {
        guard let bytes = try secretBytes(name, isNeeded: false) else { return nil }
        return Passphrase(bytes)
    }

    /// A required secret.
    package func secret(required name: String) throws -> Passphrase {
        Passphrase(try secretBytes(required: name))
    }

    /// A required secret as bytes, from which several can be made.
    func secretBytes(required name: String) throws -> WipedBytes {
        guard let bytes = try secretBytes(name, isNeeded: true) else {
            throw CommandFailure("passphraseMissing", .passphrase, "\(name) is needed")
        }
        return bytes
    }

    private func secretBytes(_ name: String, isNeeded: Bool) throws -> WipedBytes? {
        guard let parameter = method.parameters.first(where: { Text.equal($0.name, name) }) else {
            return nil
        }
        return try secrets.take(parameter, isNeeded)
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
    package func wallet(_ name: String, in store: Store) async throws -> Wallet? {
        guard let value = self[name] else { return nil }
        return try await WalletName.find(
            value.stringValue ?? Self.number(value).map(String.init) ?? "", store)
    }

    /// A required wallet.
    package func wallet(required name: String, in store: Store) async throws -> Wallet {
        guard let wallet = try await wallet(name, in: store) else {
            throw missing(name)
        }
        return wallet
    }

    /// The case that a parameter names, whose words were checked.
    func choice<Case: RawRepresentable>(_ name: String) -> Case? where Case.RawValue == String {
        text(name).flatMap(Case.init(rawValue:))
    }

    /// Throws if a parameter with choices has a word that is none of them.
    private func check(_ value: JSON, _ parameter: Parameter) throws(CommandFailure) {
        guard !parameter.choices.isEmpty else { return }
        var words = [value.stringValue].compactMap(\.self)
        if case .array(let values) = value { words = values.compactMap(\.stringValue) }
        for word in words {
            try WordChoice.check(word, among: parameter.choices, for: spelled(parameter.name))
        }
    }

    fileprivate static func number(_ value: JSON) -> UInt64? {
        guard case .number(let literal) = value else { return nil }
        return OutsideNumber.parse(literal)
    }
}

extension Arguments {
    /// The arguments that the words and options of a command are.
    ///
    /// `read` reads a file that an option names, and asks for a secret that is needed.
    package init(
        _ invocation: Invocation, for method: Method,
        reading read: @escaping @Sendable (Parameter, _ isNeeded: Bool) throws -> WipedBytes?
    ) throws {
        self.method = method
        areWords = true
        log = nil
        secrets = SecretArguments(reading: read)
        values = []
        var words = invocation.arguments[...]
        for parameter in method.parameters {
            let given: String?
            switch parameter.place {
            case .word, .optionalWord: given = words.popFirst()
            case .option(let option): given = invocation.value(option.name)
            case .words:
                values.append(.init(name: parameter.name, value: .array(words.map(JSON.string))))
                continue
            case nil: continue
            }
            guard let given else { continue }
            let value = parameter.kind == .object
                ? JSON.string(
                    String(decoding: try read(parameter, true)?.unprotected() ?? [], as: UTF8.self))
                : try parameter.kind.value(of: given, named: spelled(parameter.name))
            try check(value, parameter)
            values.append(.init(name: parameter.name, value: value))
        }
    }

    /// The same arguments, with a secret that was read already.
    package func replacingSecret(_ name: String, by secret: WipedBytes) -> Arguments {
        var arguments = self
        arguments.secrets = SecretArguments { [secrets] parameter, isNeeded in
            if Text.equal(parameter.name, name) { return secret }
            return try secrets.take(parameter, isNeeded)
        }
        return arguments
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
        case .option(let option): return option.name
        case nil: return name
        }
    }

    /// The error of a call without a parameter that is needed.
    func missing(_ name: String) -> CommandFailure {
        .usage("\(areWords ? method.command ?? "" : method.name) needs \(spelled(name))")
    }

    /// Throws if a parameter is given without the one that it belongs to.
    func check(
        _ name: String, goesWith other: String, _ isThere: Bool
    ) throws(CommandFailure) {
        guard has(name), !isThere else { return }
        throw .usage("\(spelled(name)) goes with \(spelled(other))")
    }

    /// The error of a call with two parameters that exclude each other.
    func notBoth(_ one: String, _ other: String) -> CommandFailure {
        .usage("give \(spelled(one)) or \(spelled(other)), not both")
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The words of all cases.
    static var words: [String] { allCases.map(\.rawValue) }
}

extension NetworkName {
    /// The networks that nodes serve; the embedded one has none.
    static var ofNodes: [String] { words.filter { $0 != sandbox.rawValue } }
}

extension Parameter.Kind {
    /// The value that a word of a command line stands for.
    fileprivate func value(of word: String, named name: String) throws(CommandFailure) -> JSON {
        switch self {
        case .text, .wallet, .amount, .object: .string(word)
        // The word is the name of a file, which is read when the secret is taken.
        case .secret, .newSecret: .string("")
        case .networkID where word.hasPrefix("0x"):
            .int(try Self.hexadecimal(word.dropFirst(2), name))
        case .number, .position, .networkID: .int(try Invocation.number(word, name))
        case .flag: .bool(true)
        case .texts:
            .array(
                word.split(separator: ",", omittingEmptySubsequences: false)
                    .map { .string(String($0)) })
        }
    }

    private static func hexadecimal(
        _ digits: Substring, _ name: String
    ) throws(CommandFailure) -> UInt64 {
        guard let number = OutsideNumber.parse(digits, radix: 16) else {
            throw .usage(
                "\(name) takes a number such as 3 or 0x3, up to \(OutsideNumber.greatest)")
        }
        return number
    }

    fileprivate func allows(_ value: JSON) -> Bool {
        switch self {
        case .text, .secret, .newSecret, .amount: value.stringValue != nil
        case .number, .networkID: Arguments.number(value) != nil
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
        case .text, .secret, .newSecret: "a text"
        case .number, .networkID: "a whole number up to \(OutsideNumber.greatest)"
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
    private let read: @Sendable (Parameter, _ isNeeded: Bool) throws -> WipedBytes?

    /// Secrets that came with the call.
    init(_ values: sending [(name: String, bytes: WipedBytes)]) {
        self.values = Monitor(values)
        read = { _, _ in nil }
    }

    /// Secrets that are read or asked for when they are taken.
    init(reading read: @escaping @Sendable (Parameter, _ isNeeded: Bool) throws -> WipedBytes?) {
        values = Monitor([])
        self.read = read
    }

    /// Takes a secret out.
    func take(_ parameter: Parameter, _ isNeeded: Bool) throws -> WipedBytes? {
        let taken = values.change { values -> WipedBytes? in
            let index = values.firstIndex { Text.equal($0.name, parameter.name) }
            return index.map { values.remove(at: $0).bytes }
        }
        return try taken ?? read(parameter, isNeeded)
    }
}
