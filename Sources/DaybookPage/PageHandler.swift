import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// Answers the requests of the page: its files, the session, calls, changes and QR codes.
struct PageHandler: WebHandler {
    private let front: Front
    private let rules: PageRules

    init(_ front: Front, _ rules: PageRules) {
        self.front = front
        self.rules = rules
    }

    func isOwner(_ request: WebRequest) -> Bool { rules.session.admits(request) }

    func refusal(_ request: WebRequest) -> WebAnswer? {
        switch rules.route(of: request) {
        case .success: nil
        case .failure(let refusal): Self.secured(refusal.answer)
        }
    }

    func answer(_ request: WebRequest, body: WipedBytes) async -> WebAnswer {
        // The headers were judged before; the session may have ended since.
        switch rules.route(of: request) {
        case .failure(let refusal): Self.secured(refusal.answer)
        case .success(let route): Self.secured(await answer(request, route, body))
        }
    }

    private func answer(
        _ request: WebRequest, _ route: PageRoute, _ body: WipedBytes
    ) async -> WebAnswer {
        switch route {
        case .shell: Self.resource("text/html", PackageResources.page_html)
        case .script: Self.resource("text/javascript", PackageResources.page_js)
        case .style: Self.resource("text/css", PackageResources.page_css)
        case .session: openSession(body)
        case .rpc: await call(body)
        case .changes: changes(request)
        case .qrCode: await qrCode(request)
        }
    }

    /// A file of `Resources`, none of which holds anything of the store.
    private static func resource(_ type: String, _ bytes: [UInt8]) -> WebAnswer {
        WebAnswer(200, "\(type); charset=utf-8", WipedBytes(copying: bytes))
    }

    private func openSession(_ body: WipedBytes) -> WebAnswer {
        let call = try? JSON.parse(body.unprotected(), maximumDepth: 4)
        guard let token = call?["token"]?.stringValue else {
            return .refusal(400, "tokenMissing", "the body is {\"token\": …}")
        }
        guard let key = rules.session.open(with: token) else {
            return .refusal(
                403, "tokenRefused", "the token is wrong, or a browser has used it already")
        }
        let answer = JSON.record(["key": .string(key)])
        return WebAnswer(200, "application/json", answer.text())
    }

    private func call(_ body: WipedBytes) async -> WebAnswer {
        guard let answer = await front.answer(body) else { return .empty(204) }
        return WebAnswer(200, "application/json", answer)
    }

    // MARK: - Changes

    private func changes(_ request: WebRequest) -> WebAnswer {
        let after = request.value("last-event-id") ?? request.parameter("after")
        let next: Position
        do throws(DaybookError) {
            let count = try front.store.lastPosition()?.next ?? 0
            guard let start = after.map({ Self.next(after: $0) }) ?? count, start <= count else {
                return .refusal(
                    400, "unknownPosition", "the log has only \(count) events")
            }
            next = start
        } catch {
            return .refusal(500, "storeDamaged", "the log can't be read")
        }
        // A client that reconnects begins after the last id that it got, also if nothing changed.
        let stream = EventStream("retry: 1000\nid: \(next.beforeJSON.text())\n\n")
        let store = front.store
        stream.send(
            from: Task {
                // If the log can't be read, the stream ends: the page's calls then say why.
                store.activity.subscriberBegan()
                defer {
                    stream.end()
                    store.activity.subscriberEnded(dropped: false)
                }
                var changes = store.changes(from: next).makeAsyncIterator()
                while let change = try? await changes.next() {
                    guard await stream.send(Self.event(change)) else { return }
                }
            })
        return WebAnswer(events: stream)
    }

    private static func next(after text: String) -> Position? {
        if text == "-1" { return 0 }
        return OutsideNumber.parse(text).map { Position($0).next }
    }

    private static func event(_ change: StoreChange) -> String {
        "id: \(change.position)\nevent: changed\ndata: \(change.json().text())\n\n"
    }

    // MARK: - QR codes

    /// The code of a wallet's receive address, and of no other text.
    private func qrCode(_ request: WebRequest) async -> WebAnswer {
        guard let id = request.parameter("wallet").flatMap({ OutsideNumber.parse($0) }),
            let wallet = try? await front.store.wallets().first(where: { $0.id == WalletID(id) }),
            let address = try? await front.store.address(of: wallet.id),
            request.parameter("address").map({ Text.equal($0, address) }) ?? false,
            let code = QRCode(wallet.chain.uri(of: address))
        else {
            return .refusal(404, "unknownAddress", "this is no receive address of a wallet")
        }
        return WebAnswer(200, "image/svg+xml", code.svg)
    }

    // MARK: - Headers

    private static func secured(_ answer: WebAnswer) -> WebAnswer {
        var answer = answer
        answer.headers += securityHeaders
        return answer
    }

    /// The headers of every answer, refusals too.
    private static let securityHeaders: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; "
                + "img-src data:; connect-src 'self'; form-action 'none'; "
                + "base-uri 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
    ]
}
