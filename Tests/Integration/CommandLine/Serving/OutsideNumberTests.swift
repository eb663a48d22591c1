import DaybookCalls
import DaybookEncoding
import Foundation
import TestSupport
import Testing

/// Every parameter of every method, with numbers at which arithmetic ends: an answer or an error.
///
/// The table of methods is the list, so that a new method is tried without being named here.
struct OutsideNumberTests {
    private let scene: Scene
    private let pending: String

    init() throws {
        scene = try Scene()
        pending = try scene.pending("dashwallet://pay=\(Scene.payee)&sender=shop")
    }

    @Test func `no value of any parameter ends a server`() throws {
        let server = ServerOnStreams(scene.home)
        // Methods that a removed wallet would hide from come first.
        let methods = Method.all.sorted { one, other in
            one.name != "wallet.remove" && other.name == "wallet.remove"
        }
        for method in methods {
            let plain = try server.call(method.name, try arguments(of: method))
            // Otherwise the other values would never be looked at.
            let error = try #require(plain)["error"]
            #expect(error?["code"]?.intValue != -32602, "\(method.name): \(plain?.text() ?? "")")
            let parameters: [String] = method.parameters.map(\.name) + ["log"]
            for parameter in parameters {
                for value in OutsideNumbers.values {
                    var all = try arguments(of: method)
                    all[parameter] = value
                    let answer = try server.call(method.name, all)
                    try #require(answer != nil, "\(method.name): \(parameter) = \(value)")
                    expectAnswer(answer ?? .null, "\(method.name): \(parameter) = \(value)")
                }
            }
        }
        #expect(server.end() == 0)
        try scene.expectCleanReplay()
    }

    @Test(arguments: [
        ("request.list", "after"), ("request.list", "before"), ("subscribe", "after"),
        ("log.read", "from"), ("callback.list", "after"), ("balance.list", "at"),
        ("history.list", "before"), ("request.show", "request"), ("unlock", "seconds"),
    ])
    func `a position above the greatest one is a wrong parameter`(
        method: String, parameter: String
    ) throws {
        let server = ServerOnStreams(scene.home)
        let method = try #require(Method.all.first { $0.name == method })
        for value in ["9007199254740992", "18446744073709551615", "18446744073709551616"] {
            var all = try arguments(of: method)
            all[parameter] = value
            let answer = try server.call(method.name, all)
            let code = answer?["error"]?["code"]?.intValue
            #expect(code == -32602, "\(answer?.text() ?? "it is gone")")
            all[parameter] = "9007199254740991"
            let allowed = try server.call(method.name, all)
            #expect(allowed != nil && allowed?["error"]?["code"]?.intValue != -32602)
        }
    }

    private func expectAnswer(_ answer: JSON, _ call: String) {
        guard answer["result"] == nil else { return }
        let code = answer["error"]?["code"]?.intValue ?? 0
        #expect(code == -32602 || (-32005...(-32001)).contains(code), "\(call): \(answer.text())")
        let name = answer["error"]?["data"]?["code"]?.stringValue ?? ""
        #expect(!["", "failed", "systemError", "storeDamaged"].contains(name), "\(call): \(name)")
    }

    /// Arguments that a method takes, as JSON; passphrases are wrong, so that nothing is opened.
    private func arguments(of method: Method) throws -> [String: String] {
        let own = Self.arguments[method.name] ?? [:]
        var all: [String: String] = [:]
        for parameter in method.parameters where parameter.isRequired || own[parameter.name] != nil
        {
            let value: String? = own[parameter.name] ?? usual(parameter)
            try #require(value != nil, "\(method.name) needs \(parameter.name)")
            all[parameter.name] = value
        }
        return all
    }

    private func usual(_ parameter: Parameter) -> String? {
        switch parameter.name {
        case "request": pending
        case "from": "0"
        case "subscription": "1"
        case "seconds": "60"
        case "limit", "amount": "\"1\""
        case "chain": "\"dash\""
        case "network": "\"regtest\""
        case "url", "tsa": "\"http://127.0.0.1:1\""
        case "shown": "\"\(String(repeating: "0", count: 64))\""
        case "passphrase": "\"a wrong passphrase\""
        case "new": "\"another passphrase\""
        case "wallet": "\"my-dash\""
        case "to": "\"2030-01-01\""
        case "asset": "\"DASH\""
        case "currency": "\"EUR\""
        case "price": "\"24.31\""
        case "year": "2026"
        case "about": "\"sender:shop\""
        case "file": "\"\""
        case "witness": "\"remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2\""
        case "coins": "[\"\(String(repeating: "0", count: 64)):0\"]"
        default: nil
        }
    }

    /// Those that methods need beside the ones that are marked so, or others.
    private static let arguments: [String: [String: String]] = [
        // The wallet is there already, which is found after all numbers were used.
        "wallet.add": [
            "chain": "\"icon\"", "key": "\"\(String(repeating: "0", count: 63))1\"",
            "passphrase": "\"another passphrase\"", "accounts": "1",
        ],
        "price.withdraw": ["at": "\"2026-01-31\""],
        "statement.show": ["from": "\"2020-01-01\""],
        "request.open": ["url": "\"dashwallet://request=address&sender=shop\""],
        "request.reject": ["sender": "\"nobody\""],
        "node.set": ["url": "\"http://127.0.0.1:1\""],
    ]
}

/// `daybook serve --stdio`, which is started again when a call has ended it.
private final class ServerOnStreams {
    private let home: String
    private var program: RunningProgram?
    private var last = 0

    init(_ home: String) { self.home = home }

    /// The answer to a call; nil if the server has ended.
    func call(_ method: String, _ arguments: [String: String]) throws -> JSON? {
        let program = try program ?? start()
        last += 1
        let params = arguments.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        let line = "{\"jsonrpc\":\"2.0\",\"id\":\(last),\"method\":\"\(method)\",\"params\":{"
            + params.joined(separator: ",") + "}}\n"
        try? program.input?.write(line.utf8)
        while let line = program.output.line() {
            let answer = try JSON.parse(Array(line.utf8))
            if answer["id"]?.intValue == Int64(last) { return answer }
        }
        self.program = nil
        return nil
    }

    /// Closes its input; returns its status.
    func end() -> Int32? {
        program?.input?.close()
        return program?.end().status
    }

    private func start() throws -> RunningProgram {
        let started = try RunningProgram(
            [Programs.daybook, "serve", "--stdio", "--home", home],
            hasInput: true, errors: .dropped)
        program = started
        return started
    }
}
