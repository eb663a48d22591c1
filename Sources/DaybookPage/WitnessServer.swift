package import Daybook
package import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The server of a witness, https://c2sp.org/tlog-witness, until `stop`.
package final class WitnessServer: Sendable {
    /// The address to which logs add `/add-checkpoint`.
    package let address: String
    private let daemon: WebDaemon

    /// Begins to serve at an address of this machine, `HOST:PORT`; port 0 is one that is free.
    ///
    /// `refused` is told why a checkpoint was not cosigned.
    ///
    /// - Throws: `usage` for what is no address, `portInUse` if it can't be bound.
    package init(
        _ witness: Witness, at text: String, refused: @escaping @Sendable (String) -> Void
    ) throws(CommandFailure) {
        let place = try ListeningPlace(text, for: "--listen")
        let handler = WitnessHandler(witness: witness, refused: refused)
        guard let daemon = WebDaemon(host: place.host, port: place.port, handler: handler) else {
            throw .portInUse(text)
        }
        self.daemon = daemon
        address = "http://\(place.name(port: daemon.port))"
    }

    /// Answers what is in progress for up to ten seconds, and stops; called once.
    package func stop() async { await daemon.stop() }
}

/// Answers `POST /add-checkpoint`, and `GET` of the last checkpoint of each log.
///
/// Nothing that it says is a secret, and only a log's own key can make it cosign.
private struct WitnessHandler: WebHandler {
    let witness: Witness
    let refused: @Sendable (String) -> Void

    private static let adding = "/add-checkpoint"
    private static let reading = "/checkpoint"

    func isOwner(_ request: WebRequest) -> Bool { false }

    func refusal(_ request: WebRequest) -> WebAnswer? {
        let isAdding = Text.equal(request.path, Self.adding)
        guard isAdding || request.path.hasSuffix(Self.reading) else {
            return Self.text(404, "there is \(Self.adding), and LOG\(Self.reading)")
        }
        let method = isAdding ? "POST" : "GET"
        guard Text.equal(request.method, method) else {
            var answer = Self.text(405, "this path takes \(method)")
            answer.headers.append(("Allow", method))
            return answer
        }
        return nil
    }

    func answer(_ request: WebRequest, body: WipedBytes) async -> WebAnswer {
        if Text.equal(request.path, Self.adding) {
            return await add(body.unprotected())
        }
        let log = String(request.path.dropFirst().dropLast(Self.reading.utf8.count))
        guard let note = await witness.checkpoint(ofLog: log) else {
            return Self.text(404, "no checkpoint of this log was cosigned")
        }
        return WebAnswer(
            200, "text/plain; charset=utf-8", String(decoding: note, as: UTF8.self))
    }

    private func add(_ request: Bytes) async -> WebAnswer {
        switch await witness.answer(request) {
        case .cosigned(let line):
            return WebAnswer(
                200, "text/plain; charset=utf-8", String(decoding: line, as: UTF8.self))
        case .otherSize(let size): return WebAnswer(409, "text/x.tlog.size", "\(size)\n")
        case .refused(let status, let reason, let isFork):
            if isFork { refused(reason) }
            return Self.text(status, reason)
        case .failed(let error):
            // The checkpoint is not durable, so nobody may see a cosignature of it.
            refused("\(error)")
            return Self.text(500, "the witness can't keep the checkpoint")
        }
    }

    private static func text(_ status: Int, _ message: String) -> WebAnswer {
        WebAnswer(status, "text/plain; charset=utf-8", Text.onOneLine(message) + "\n")
    }
}
