import Daybook
import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

/// The page in headless Chromium, used as a person does.
struct PageTests {
    private func card(_ request: WalletRequest) -> String { "[data-request=\"\(request.id)\"]" }

    private func approve(
        _ request: WalletRequest, in tab: Tab, with passphrase: String = PageScene.passphrase
    ) throws {
        try tab.wait(for: "document.querySelector('\(card(request))')")
        try tab.type(passphrase, into: "\(card(request)) input[type=password]")
        try tab.click("\(card(request)) button.main")
    }

    @Test func `a payment appears by itself, is approved, and its callback is opened`() async throws
    {
        try await PageScene.use { scene in
            let tab = try Tab(Browser(), scene.address)
            try tab.wait(for: "byId('connection').textContent === 'Connected'")
            #expect(try tab.value("location.href") == "\(scene.origin)/", "the token is gone")
            // When the button is there, and when it can be used.
            _ = try tab.value(
                """
                (window.times = {}, new MutationObserver(() => {
                  const button = document.querySelector('[data-request] button.main');
                  if (button) times.shown ??= Date.now();
                  if (button && !button.disabled) times.ready ??= Date.now();
                }).observe(document.body, {subtree: true, childList: true, attributes: true}))
                """)
            let request = try await scene.receive()
            try tab.wait(for: "document.querySelector('\(card(request))')")
            let prompt = try #require(request.prompt)
            try tab.wait(for: "document.querySelector('[data-prompt] dt')")
            let names = try tab.value(
                "[...document.querySelectorAll('[data-prompt] dt')].map(d => d.dataset.name)"
                    + ".sort().join()")
            let live = prompt.left == nil ? [] : ["left afterwards"]
            let all = prompt.amounts.map(\.name) + prompt.details.map(\.name) + live
            #expect(names == all.sorted().joined(separator: ","))
            #expect(
                try tab.value("document.querySelector('.headline').innerText")
                    == prompt.headline)
            try tab.wait(for: "times.ready")
            #expect(try tab.value("times.ready - times.shown >= 900") == "true")
            try approve(request, in: tab)
            try tab.wait(for: "document.querySelector('[data-answered=\"\(request.id)\"]')")
            #expect(try await scene.store.request(request.id).status == .completed)
            let link = "[data-callback=\"\(request.id)\"] a"
            try tab.wait(for: "document.querySelector('\(link)')")
            #expect(try tab.value("document.querySelector('\(link)').rel")
                == "noreferrer noopener")
            try tab.click("[data-callback=\"\(request.id)\"] button")
            try tab.wait(for: "!document.querySelector('[data-callback]')")
            #expect(try await scene.store.callbacks().filter { !$0.isDelivered }.isEmpty)
        }
    }

    @Test func `the newest fifty answers are shown`() async throws {
        try await PageScene.use { scene in
            let tab = try Tab(Browser(), scene.address)
            try tab.wait(for: "byId('connection').textContent === 'Connected'")
            let shown = try tab.value(
                """
                (Array.from({length: 60}, (_, id) => showAnswer({request: id, status: "refused"})),
                 [...document.querySelectorAll("[data-answered]")].map(a => a.dataset.answered))
                """)
            let newest = (10..<60).reversed().map(String.init).joined(separator: ",")
            #expect(shown == newest)
        }
    }

    @Test func `a rejection in one tab removes the request from the other`() async throws {
        try await PageScene.use { scene in
            let browser = try Browser()
            let one = try Tab(browser, scene.address)
            try one.wait(for: "byId('connection').textContent === 'Connected'")
            let other = try Tab(browser, "\(scene.origin)/")
            try other.wait(for: "!byId('content').hidden")
            let request = try await scene.receive()
            for tab in [one, other] {
                try tab.wait(for: "document.querySelector('\(card(request))')")
            }
            try one.click("\(card(request)) button[type=button]")
            try other.wait(for: "!document.querySelector('\(card(request))')")
            try other.wait(for: "byId('announcer').textContent.includes('Rejected')")
            #expect(try await scene.store.request(request.id).status == .rejected)
        }
    }

    @Test func `wrong passphrases are said in words until the wallet is locked`() async throws {
        try await PageScene.use { scene in
            let tab = try Tab(Browser(), scene.address)
            let request = try await scene.receive()
            let notice = "document.querySelector('\(card(request)) [role=alert]').textContent"
            var words = ""
            for _ in 0..<12 where !words.contains("lock") {
                try approve(request, in: tab, with: "wrong")
                try tab.wait(for: "\(notice) !== ''")
                words = try tab.value(notice)
                #expect(words.contains("(") && !words.contains("undefined"))
            }
            #expect(words.contains("lock"), "\(words)")
            #expect(try await scene.store.request(request.id).status == .pending)
        }
    }

    @Test func `a wallet that another program has unlocked says so, and can be locked`()
        async throws
    {
        try await PageScene.use { scene in
            let tab = try Tab(Browser(), scene.address)
            try tab.wait(for: "document.querySelector('[data-wallet] h3')")
            let wallet = "[data-wallet=\"\(scene.wallet.id)\"]"
            let line = "document.querySelector('\(wallet) > p:nth-of-type(2)')"
            #expect(try tab.value("\(line).hidden") == "true")
            let unlock = "call('unlock', {wallet: \(scene.wallet.id), seconds: 600, limit: '1.5', "
                + "passphrase: '\(PageScene.passphrase)'})"
            _ = try tab.value("(await \(unlock)).until")
            try tab.wait(for: "\(line).innerText.includes('up to 1.5 DASH')")
            let request = try await scene.receive()
            try approve(request, in: tab, with: "")
            try tab.wait(for: "document.querySelector('[data-answered=\"\(request.id)\"]')")
            #expect(try await scene.store.request(request.id).status == .completed)
            try tab.wait(for: "\(line).innerText.includes('up to 1.2')")
            try tab.click("\(wallet) > button")
            try tab.wait(for: "\(line).hidden")
            #expect(try tab.value("byId('announcer').textContent.includes('is locked')") == "true")
        }
    }

    @Test func `of many requests the oldest are shown, and the others as these are answered`()
        async throws
    {
        try await PageScene.use { scene in
            for setting in ["pendingPerSender", "pendingInTotal"] {
                try await scene.store.set(setting, to: "1000")
            }
            var requests: [WalletRequest] = []
            for number in 1...60 { requests.append(try await scene.receive("0.\(100 + number)")) }
            let tab = try Tab(Browser(), scene.address)
            let ids = "[...cards.keys()].join()"
            let first = requests.prefix(50).map { "\($0.id)" }
            try tab.wait(for: "cards.size === 50 && !byId('more-waiting').hidden")
            #expect(try tab.value(ids) == first.joined(separator: ","))
            #expect(try tab.value("document.title") == "(50+) Daybook")
            // A link that the user opens here is shown although others are before it.
            let link = "dashwallet://pay=\(PageScene.payee)&amount=0.5&sender=mine"
            _ = try tab.value("(byId('link').value = '\(link)')")
            try tab.click("#link-form button")
            try tab.wait(for: "cards.size === 51")
            // It stays when the list is loaded again; the next one takes an answered one's place.
            try tab.click("\(card(requests[0])) button[type=button]")
            try tab.wait(for: "cards.has(\(requests[50].id)) && !cards.has(\(requests[0].id))")
            #expect(try tab.value("cards.size") == "51")
        }
    }

    @Test func `a reload in the middle keeps the session and loses nothing`() async throws {
        try await PageScene.use { scene in
            let tab = try Tab(Browser(), scene.address)
            let request = try await scene.receive()
            try tab.wait(for: "document.querySelector('\(card(request))')")
            try tab.type("half a passphr", into: "\(card(request)) input[type=password]")
            try tab.call("Page.reload")
            try tab.wait(
                for: "document.querySelector('\(card(request)) input[type=password]').value === ''")
            try approve(request, in: tab)
            try tab.wait(for: "document.querySelector('[data-answered=\"\(request.id)\"]')")
            #expect(try await scene.store.request(request.id).status == .completed)
        }
    }

    @Test func `a request that expires while it is shown ends in words, and can't be approved`()
        async throws
    {
        try await PageScene.use { scene in
            let tab = try Tab(Browser(), scene.address)
            try tab.wait(for: "byId('connection').textContent === 'Connected'")
            try await scene.store.set("expirySeconds", to: "3")
            let request = try await scene.receive()
            try tab.wait(for: "document.querySelector('[data-prompt=\"\(request.id)\"] dt')")
            let said = "Date.parse(document.querySelector('\(card(request)) time').dateTime)"
            let expires = try #require(request.expires).microseconds / 1000
            #expect(try tab.value("Math.abs(\(said) - \(expires)) < 1000") == "true")
            let digest = try tab.value("cards.get(\(request.id)).digest")
            // Somebody is typing when the time is over.
            try tab.type("half a passphr", into: "\(card(request)) input[type=password]")
            _ = try tab.value(
                "document.querySelector('\(card(request)) input[type=password]').focus()")
            try tab.wait(for: "!document.querySelector('\(card(request))')")
            let answered = "document.querySelector('[data-answered=\"\(request.id)\"]')"
            try tab.wait(for: "\(answered).innerText.includes('Expired')")
            #expect(try tab.value("\(answered).contains(document.activeElement)") == "true")
            #expect(try tab.value("byId('announcer').textContent.includes('Expired')") == "true")
            #expect(try tab.value("byId('nothing').hidden") == "false")
            #expect(try await scene.store.request(request.id).status == .expired)
            let late = "call('request.approve', {request: \(request.id), shown: '\(digest)', "
                + "passphrase: '\(PageScene.passphrase)'})"
            #expect(try tab.value("(await \(late).catch(error => error)).code") == "expired")
        }
    }

    @Test func `a session ends with its server, and another address opens a new one`()
        async throws
    {
        try await PageScene.use { scene in
            let browser = try Browser()
            let tab = try Tab(browser, scene.address)
            try tab.wait(for: "byId('connection').textContent === 'Connected'")
            let old = try tab.value("localStorage.getItem('key')")
            let next = try scene.restartServer()
            try tab.wait(for: "!byId('gate').hidden && byId('content').hidden")
            #expect(try tab.value("byId('connection').textContent") == "No session")
            let headers = scene.own + ["Authorization: Bearer \(old)"]
            let call = #"{"jsonrpc":"2.0","id":1,"method":"info"}"#
            #expect(try scene.raw("POST", "/rpc", headers, body: call).status == 401)
            // The old address opens nothing, the new one every tab.
            let other = try Tab(browser, scene.address)
            try other.wait(for: "byId('problem').textContent.includes('tokenRefused')")
            let opened = try Tab(browser, next.address)
            for tab in [opened, other, tab] {
                try tab.wait(for: "byId('gate').hidden && !byId('content').hidden")
                try tab.wait(for: "byId('connection').textContent === 'Connected'")
            }
            let request = try await scene.receive()
            try tab.wait(for: "document.querySelector('\(card(request))')")
        }
    }

    @Test(arguments: [360, 1400], [false, true])
    func `it fits its width, with a wallet's address, QR code and history`(
        width: Int, isDark: Bool
    ) async throws {
        try await PageScene.use { scene in
            let request = try await scene.receive()
            let funds = try #require(
                try await scene.store.history(of: scene.wallet.id).entries.first)
            let before = Timestamp(
                microseconds: min(funds.blockTime ?? funds.time, funds.time).microseconds - 1)
            try await scene.store.set(
                [("EUR", "24.31"), ("USD", "30")].map {
                    AssetPrice(asset: "DASH", currency: $0, price: $1, time: before)
                })
            let tab = try Tab(Browser(), scene.address, width: width, isDark: isDark)
            try tab.wait(for: "document.querySelector('\(card(request))')")
            try tab.click("[data-wallet] .row button")
            try tab.wait(for: "document.querySelector('img.code').naturalWidth > 0")
            let address = try await scene.store.address(of: scene.wallet.id)
            #expect(try tab.value("document.querySelector('.panel code').textContent") == address)
            try tab.click("[data-wallet] .row button:nth-child(2)")
            try tab.wait(for: "document.querySelector('.panel tbody tr')")
            let worth = "document.querySelector('.panel .worth').innerText"
            #expect(try tab.value(worth) == "243.1 EUR")
            _ = try tab.value(
                "(byId('currency').value = 'usd', "
                    + "byId('currency').dispatchEvent(new Event('change')))")
            try tab.wait(for: "\(worth) === '300 USD'")
            // A scroll bar at the side takes some of the width.
            let fits = "document.documentElement.scrollWidth <= \(width)"
            #expect(try tab.value(fits) == "true")
            let fields = "[...document.querySelectorAll('input,select')]"
            #expect(try tab.value("\(fields).every(field => field.labels.length)") == "true")
            let end = "\(width)-\(isDark ? "dark" : "light")"
            try draw(tab, "page-\(end)")
            try tab.click("#search-form button")
            try tab.wait(for: "document.querySelector('#past tbody tr')")
            _ = try tab.value("byId('wallets-title').scrollIntoView()")
            #expect(try tab.value(fits) == "true")
            // No figure is broken, and what is wider than the page can be scrolled.
            let broken = """
                [...document.querySelectorAll('.number')].filter(cell =>
                cell.getClientRects().length > 1 || getComputedStyle(cell).whiteSpace !== 'nowrap')
                .length
                """
            #expect(try tab.value(broken) == "0")
            try draw(tab, "wallets-\(end)")
        }
    }

    /// Keeps a picture of what is seen, if pictures are made.
    private func draw(_ tab: Tab, _ name: String) throws {
        guard let folder = EnvironmentVariables.value("DAYBOOK_DRAW") else { return }
        let shot = try tab.call("Page.captureScreenshot", ["format": .string("png")])
        let bytes = try #require(Data(base64Encoded: shot["data"]?.stringValue ?? ""))
        try bytes.write(to: URL(filePath: "\(folder)/\(name).png"))
    }

    @Test func `a wallet of ICON without coins shows zero`() async throws {
        try await PageScene.use { scene in
            let id = try await scene.store.addWallet(
                .new, chain: .icon, network: .sandbox, sealedBy: PageScene.secret("correct horse")
            ).wallet.id
            let tab = try Tab(Browser(), scene.address)
            let cell = "document.querySelector('[data-wallet=\"\(id)\"] tr.main .number')"
            try tab.wait(for: cell)
            #expect(try tab.value("\(cell).textContent + \(cell).dataset.asset") == "0ICX")
        }
    }

    @Test func `the subject of a row gets labels, which a search finds, and loses them`()
        async throws
    {
        try await PageScene.use { scene in
            let request = try await scene.receive()
            let tab = try Tab(Browser(), scene.address)
            let card = "\(card(request)) .labels"
            try tab.wait(for: "document.querySelector('\(self.card(request))')")
            func set(_ thing: String, _ label: String, by button: String) throws {
                try tab.click(button)
                let field = "[id=\"label-\(thing)\"]"
                try tab.wait(for: "byId('labels').open && document.querySelector('\(field)')")
                _ = try tab.value("document.querySelector('\(field)').value = '\(label)'")
                try tab.click("#labels-form button.main")
                try tab.wait(for: "!byId('labels').open || byId('labels-problem').textContent")
            }
            let ofRequest = "\(self.card(request)) button.small"
            try set("sender:shop", "Corner shop", by: ofRequest)
            try set("request:\(request.id)", " two cups ", by: ofRequest)
            try set("address:\(PageScene.payee)", "Café", by: ofRequest)
            let text = "Label: two cups · Sender: Corner shop · Address: Café"
            try tab.wait(for: "document.querySelector('\(card)')?.innerText === '\(text)'")
            try tab.wait(
                for: "document.activeElement.dataset.labels === 'request:\(request.id)'")
            for word in ["CORNER", "two cups", "Café"] {
                _ = try tab.value("byId('search-text').value = '\(word)'")
                try tab.click("#search-form button")
                try tab.wait(for: "byId('search-result').textContent === '1 request.'")
                #expect(try tab.value("document.querySelector('#past .labels').innerText") == text)
            }
            try set("sender:shop", "", by: "[data-found] button.small")
            let rest = "Label: two cups · Address: Café"
            try tab.wait(for: "document.querySelector('#past .labels').innerText === '\(rest)'")
            let wallet = "[data-wallet] .row button.small"
            try set("wallet:\(scene.wallet.id)", String(repeating: "x", count: 65), by: wallet)
            let problem = try tab.value("byId('labels-problem').textContent")
            #expect(problem.contains("labelTooLong"))
            try tab.click("#labels-cancel")
            try set("wallet:\(scene.wallet.id)", "purse", by: wallet)
            try tab.wait(for: "document.querySelector('[data-wallet] h3').innerText === 'purse'")
            try tab.click("[data-wallet] .row button:nth-child(2)")
            try tab.wait(for: "document.querySelector('.panel tbody tr')")
            let funds = try #require(
                try await scene.store.history(of: scene.wallet.id).entries.last?.transaction)
            try set("tx:\(funds)", "opening", by: ".panel tr:last-child button.small")
            try tab.wait(for: "document.querySelector('.panel').parentElement"
                + ".innerText.includes(': opening')")
        }
    }

    @Test func `requests are searched by what a person remembers of them`() async throws {
        try await PageScene.use { scene in
            let first = try await scene.receive().id
            let wrong = try await scene.store.receive("dashwallet://pay=nobody&sender=florist").id
            let tab = try Tab(Browser(), scene.address)
            try tab.wait(for: "!byId('content').hidden")
            func find(_ field: String, _ value: String) throws -> String {
                try tab.click("#search-form button[type=reset]")
                _ = try tab.value("byId('search-\(field)').value = '\(value)'")
                try tab.click("#search-form button")
                try tab.wait(for: "/request|searched/.test(byId('search-result').textContent)")
                return try tab.value(
                    "[...document.querySelectorAll('[data-found]')]"
                        + ".map(row => row.dataset.found).join(' ')")
            }
            #expect(try find("text", "NOBODY") == "\(wrong)")
            #expect(try find("status", "pending") == "\(first)")
            #expect(try find("text", "") == "\(wrong) \(first)")
            #expect(try find("sender", "nosuchapp") == "")
            #expect(try find("amount", "x") == "")
            let said = try tab.value("byId('search-result').textContent")
            #expect(said.contains("'x' is not a decimal amount") && said.contains("invalidAmount"))
        }
    }
}
