import DaybookEncoding
import Testing

@testable import DaybookDomain

/// When a front end continues its last session, and when it must begin a new one.
struct SessionRuleTests {
    private static let start = SessionStarted(
        frontEnd: "app", engine: 1, libraries: [.init(name: "lmdb", version: "0.9")],
        settings: Settings())

    private static func start(
        frontEnd: String = "app", engine: UInt64 = 1, version: String = "0.9",
        expirySeconds: UInt64 = 600
    ) -> SessionStarted {
        var settings = Settings()
        settings.expirySeconds = expirySeconds
        return SessionStarted(
            frontEnd: frontEnd, engine: engine,
            libraries: [.init(name: "lmdb", version: version)], settings: settings)
    }

    private func begin(_ start: SessionStarted, _ position: Position, in state: inout State) {
        state.evolve(
            Event(
                position: position, time: 1, session: SessionID(position), request: nil,
                payload: .sessionStarted(start)))
    }

    @Test func `a front end that has not changed goes on in its session`() {
        var state = State()
        #expect(state.session(goingOnWith: Self.start) == nil)
        begin(Self.start, 4, in: &state)
        #expect(state.session(goingOnWith: Self.start) == 4)
    }

    @Test(arguments: [
        start(frontEnd: "apps"), start(engine: 2), start(version: "1.0"), start(expirySeconds: 60),
    ])
    func `another name, engine, library or setting is another session`(other: SessionStarted) {
        var state = State()
        begin(Self.start, 4, in: &state)
        #expect(state.session(goingOnWith: other) == nil)
    }

    @Test func `only the last session of a front end is gone on with`() {
        var state = State()
        begin(Self.start, 4, in: &state)
        begin(Self.start(expirySeconds: 60), 9, in: &state)
        begin(Self.start(frontEnd: "other"), 12, in: &state)
        #expect(state.session(goingOnWith: Self.start) == nil)
        #expect(state.session(goingOnWith: Self.start(expirySeconds: 60)) == 9)
        #expect(state.session(goingOnWith: Self.start(frontEnd: "other")) == 12)
    }
}
