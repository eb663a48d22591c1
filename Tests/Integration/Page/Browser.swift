import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// A headless Chromium, driven by its debugging protocol over a pair of pipes.
final class Browser {
    private static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private let program: RunningProgram
    private let folder: TemporaryFolder
    private var last = 0

    init() throws {
        folder = try TemporaryFolder()
        let path = try #require(Self.path, "tools/setup test installs Chromium")
        // The protocol's pipes are the descriptors 3 and 4.
        let script = """
            exec "$0" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --remote-debugging-pipe --user-data-dir="$1" about:blank 3<&0 4>&1 >/dev/null 2>&1
            """
        program = try RunningProgram(
            ["sh", "-c", script, path, folder.path], hasInput: true, errors: .dropped)
    }

    deinit {
        program.input?.close()
        program.send(SIGTERM)
        _ = program.end()
    }

    /// Calls a method of the protocol, of the browser or of a tab.
    @discardableResult
    func call(
        _ method: String, _ params: KeyValuePairs<String, JSON?> = [:], in tab: String? = nil
    ) throws -> JSON {
        last += 1
        let command = JSON.record([
            "id": .int(last), "method": .string(method), "params": .record(params),
            "sessionId": tab.map(JSON.string),
        ])
        try program.input?.write(Array(command.text().utf8) + [0])
        while true {
            let message = try message()
            guard message["id"] == .int(last) else { continue }
            return try #require(message["result"], "\(message.text())")
        }
    }

    /// Begins to drive a tab or a frame; returns the session that calls name.
    func attach(to target: JSON?) throws -> String {
        let attached = try call(
            "Target.attachToTarget", ["targetId": target, "flatten": .bool(true)])
        return try #require(attached["sessionId"]?.stringValue)
    }

    private func message() throws -> JSON {
        let message = try #require(
            program.output.message(endedBy: 0), "the browser has ended")
        return try JSON.parse(message, maximumDepth: 64)
    }
}

/// A tab of the browser.
final class Tab {
    private let browser: Browser
    private let target: JSON?
    private let session: String

    init(_ browser: Browser, _ address: String, width: Int = 1400, isDark: Bool = false) throws {
        self.browser = browser
        let made = try browser.call("Target.createTarget", ["url": .string("about:blank")])
        target = made["targetId"]
        session = try browser.attach(to: target)
        try call("Emulation.setFocusEmulationEnabled", ["enabled": .bool(true)])
        try call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .int(width), "height": .int(900), "deviceScaleFactor": .int(1),
                "mobile": .bool(width < 500),
            ])
        let scheme = JSON.record([
            "name": .string("prefers-color-scheme"), "value": .string(isDark ? "dark" : "light"),
        ])
        try call("Emulation.setEmulatedMedia", ["features": .array([scheme])])
        try call("Page.enable")
        try open(address)
    }

    /// Goes to an address.
    func open(_ address: String) throws {
        try call("Page.navigate", ["url": .string(address)])
    }

    /// The page's frames, also those with a process of their own.
    func frames() throws -> [JSON] {
        let inside = try call("Page.getFrameTree")["frameTree"]?["childFrames"]?.arrayValue ?? []
        let targets = try browser.call("Target.getTargets")["targetInfos"]?.arrayValue ?? []
        let outside = try targets.filter { $0["parentFrameId"] == target }.map {
            let session = try browser.attach(to: $0["targetId"])
            return try browser.call("Page.getFrameTree", in: session)["frameTree"]
        }
        return (inside + outside).compactMap { $0?["frame"] }
    }

    @discardableResult
    func call(_ method: String, _ params: KeyValuePairs<String, JSON?> = [:]) throws -> JSON {
        try browser.call(method, params, in: session)
    }

    /// The value of an expression in the page, as text.
    func value(_ expression: String) throws -> String {
        let result = try call(
            "Runtime.evaluate",
            [
                "expression": .string("(async () => String(\(expression)))()"),
                "awaitPromise": .bool(true), "userGesture": .bool(true),
            ])
        return try #require(result["result"]?["value"]?.stringValue, "\(result.text())")
    }

    /// Waits until a condition holds in the page; fails after half a minute.
    func wait(for condition: String, _ place: SourceLocation = #_sourceLocation) throws {
        let script = """
            await new Promise(done => {
              const end = Date.now() + 30000;
              const look = () => {
                let holds = false;
                try { holds = \(condition) } catch {}
                if (holds || Date.now() > end) { clearInterval(timer); done(Boolean(holds)); }
              };
              const timer = setInterval(look, 20);
            })
            """
        let holds = try value(script)
        if holds != "true" {
            let text = try value("document.body.innerText")
            Issue.record("\(condition) does not hold in: \(text)", sourceLocation: place)
        }
    }

    /// Waits for an element that can be clicked, and clicks it.
    func click(_ selector: String, _ place: SourceLocation = #_sourceLocation) throws {
        let element = "document.querySelector('\(selector)')"
        try wait(for: "\(element) && !\(element).disabled", place)
        _ = try value("\(element).click()")
    }

    func type(_ text: String, into selector: String) throws {
        _ = try value("document.querySelector('\(selector)').value = '\(text)'")
    }
}
