import Daybook
import DaybookEncoding
import DaybookSystem
import DaybookTesting
import Foundation
import Testing
import TestSupport

/// The report of half a year, with 40 requests, in headless Chromium.
struct ReportPageTests {
    private let page: String

    init() async throws {
        page = try await Self.made.value
    }

    private static let made = Task { try await makePage() }
    private static let folder = try? TemporaryFolder()

    @Test(arguments: [360, 1400], [false, true])
    func `it fits its width, can be read in both themes, and names all that can be used`(
        width: Int, isDark: Bool
    ) throws {
        let tab = try Tab(Browser(), page, width: width, isDark: isDark)
        try tab.wait(for: "document.querySelectorAll('.rows .row').length > 5")
        #expect(try tab.value("document.documentElement.scrollWidth <= \(width)") == "true")
        #expect(try tab.value(Self.unnamed) == "")
        #expect(try tab.value(Self.faint) == "")
        _ = try tab.value("location.hash = '#r' + requests[1].id")
        try tab.wait(for: "detail.open && document.querySelector('.steps li')")
        #expect(try tab.value(Self.unnamed) == "")
        #expect(try tab.value(Self.faint) == "")
        _ = try tab.value("detail.close()")
        guard let folder = EnvironmentVariables.value("DAYBOOK_DRAW") else { return }
        let name = "report-\(width)-\(isDark ? "dark" : "light")"
        try tab.draw("\(folder)/\(name).png")
    }

    @Test func `a filter leaves the entries that pass it, and says their sums`() throws {
        let tab = try Tab(Browser(), page)
        try tab.wait(for: "document.querySelectorAll('.rows .row').length > 5")
        func list(_ name: String, _ value: String) throws -> String {
            try tab.value(
                """
                (form.reset(), form.elements.\(name).value = '\(value)',
                 form.dispatchEvent(new Event('input')), get('summary').textContent)
                """)
        }
        #expect(try list("status", "rejected").hasPrefix("5 of 40 requests"))
        #expect(try list("sender", "museum").hasPrefix("10 of 40 requests"))
        #expect(try list("text", PageScene.payee).hasPrefix("31 of 40 requests"))
        #expect(try list("text", "no such thing") == "0 of 40 requests")
        #expect(try tab.value("list.innerText.includes('Nothing passes')") == "true")
        #expect(try list("text", "city museum").hasPrefix("10 of 40 requests"))
        #expect(try list("text", "tickets").hasPrefix("31 of 40 requests"))
        #expect(try list("text", "for anna").hasPrefix("1 of 40 requests"))
        let paid = try list("text", "coffee")
        #expect(paid.contains(" DASH sent, ") && paid.contains(" DASH of fees"), "\(paid)")
        let days = "new Set([...document.querySelectorAll('.day b')].map(b => b.innerText)).size"
        #expect(try list("from", "2027-03-01").contains(" of 40 requests"))
        #expect(try tab.value("\(days) > 3") == "true")
    }

    @Test func `the page shows the worth of movements, and each year's gain`() throws {
        let tab = try Tab(Browser(), page)
        try tab.wait(for: "document.querySelectorAll('.rows .row').length > 5")
        let years = "[...document.querySelectorAll('[aria-label=\"Gains by year\"] tbody th')]"
        #expect(try tab.value("\(years).length > 0 && "
            + "\(years).every(year => /^20\\d\\d$/.test(year.innerText))") == "true")
        _ = try tab.value("get('tab-movements').click()")
        try tab.wait(for: "document.querySelector('.priced .rows .worth')")
        let amounts = "[...document.querySelectorAll('.rows .worth')].map(cell => cell.innerText)"
        #expect(try tab.value("\(amounts).some(text => /^−[0-9.]+ EUR$/.test(text))") == "true")
    }

    @Test func `every list and every chart can be used by the keyboard`() throws {
        let tab = try Tab(Browser(), page)
        try tab.wait(for: "document.querySelectorAll('.rows .row').length > 5")
        func press(_ key: String) throws {
            for type in ["keyDown", "keyUp"] {
                try tab.call(
                    "Input.dispatchKeyEvent", ["type": .string(type), "key": .string(key)])
            }
        }
        _ = try tab.value("get('tab-requests').focus()")
        for name in ["movements", "bindings", "sessions", "events"] {
            try press("ArrowRight")
            let chosen = "document.activeElement.id === 'tab-\(name)'"
            #expect(try tab.value("\(chosen) && table.getAttribute('aria-label')") != "false")
            try tab.wait(for: "document.querySelector('.rows .row [role=cell] + [role=cell]')")
            #expect(try tab.value(Self.unnamed) == "")
        }
        _ = try tab.value("document.querySelector('[role=slider]').focus()")
        let text = "document.activeElement.getAttribute('aria-valuetext')"
        let last = try tab.value(text)
        try press("Home")
        let first = try tab.value(text)
        #expect(last != first && last.contains(" DASH"))
        try press("ArrowRight")
        #expect(try tab.value(text) != first)
        _ = try tab.value("document.querySelector('figure summary').click()")
        try tab.wait(for: "document.querySelector('figure td')")
        #expect(try tab.value("document.querySelectorAll('.chart .free').length > 0") == "true")
    }

    @Test func `on paper 40 requests take six pages at most, and each has a line`() throws {
        let tab = try Tab(Browser(), page)
        try tab.wait(for: "document.querySelectorAll('.rows .row').length > 5")
        let printed = try tab.call(
            "Page.printToPDF", ["printBackground": .bool(true), "preferCSSPageSize": .bool(true)])
        let pdf = try #require(Data(base64Encoded: printed["data"]?.stringValue ?? ""))
        let pages = String(decoding: pdf, as: Unicode.ASCII.self).matches(of: /\/Type \/Page\b[^s]/)
        #expect((1...6).contains(pages.count), "\(pages.count) pages")
        try tab.call("Emulation.setEmulatedMedia", ["media": .string("print")])
        _ = try tab.value("dispatchEvent(new Event('beforeprint'))")
        #expect(try tab.value("document.querySelectorAll('.lines tbody tr').length") == "40")
        guard let folder = EnvironmentVariables.value("DAYBOOK_DRAW") else { return }
        try tab.call("Emulation.setDeviceMetricsOverride", Tab.paper)
        try tab.draw("\(folder)/report-print.png")
    }

    // MARK: - What is looked for in the page

    /// Fields, buttons, regions and images without a name, and parts that their role forbids.
    private static let unnamed = """
        [...document.querySelectorAll('input,select,button,a,[role],[tabindex]')].filter(part => {
          const text = part.getAttribute('aria-label') ?? part.innerText ?? '';
          const by = document.getElementById(part.getAttribute('aria-labelledby') ?? '');
          const named = ['rowgroup', 'row', 'cell', 'columnheader', 'status'];
          if (named.includes(part.getAttribute('role'))) return false;
          return !(part.labels?.length || text.trim() || by?.innerText.trim());
        }).concat([...document.querySelectorAll('[role=row]')].filter(row =>
          !row.closest('[role=table]') || !row.querySelector('[role=cell],[role=columnheader]')))
        .map(part => part.outerHTML.slice(0, 120)).join()
        """

    /// Texts with less contrast than WCAG's AA wants.
    static let faint = """
        (() => {
          const levels = text => text.match(/[\\d.]+/g).map(Number);
          const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
          const behind = part => {
            for (; part; part = part.parentElement) {
              const color = levels(getComputedStyle(part).backgroundColor);
              if (color.length === 3 || color[3] === 1) return color;
            }
            return [255, 255, 255];
          };
          const found = [];
          for (const part of document.querySelectorAll('body *')) {
            const own = [...part.childNodes].some(node =>
              node.nodeType === 3 && node.textContent.trim());
            if (!own || !part.checkVisibility() || part.closest('script,svg')) continue;
            const style = getComputedStyle(part), size = parseFloat(style.fontSize);
            const [one, other] = [light(levels(style.color)), light(behind(part))];
            const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
            const isLarge = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
            if (ratio < (isLarge ? 3 : 4.5)) {
              found.push(`${part.tagName}.${part.className} ${ratio.toFixed(2)}`);
            }
          }
          return [...new Set(found)].join();
        })()
        """

    // MARK: - The log

    /// Writes the report of a store that was used for half a year; returns its address.
    private static func makePage() async throws -> String {
        let test = try TestStore(frontEnd: "desktop")
        let spending = try await test.addWallet(.dash, label: "spending")
        let savings = try await test.addWallet(.axe, number: 1, label: "savings")
        let games = try await test.addWallet(.icon, number: 2, label: "games")
        let first = try #require(try await test.store.events(limit: 1).first?.time)
        let before = Timestamp(microseconds: first.microseconds - 1)
        try await test.store.set([
            AssetPrice(asset: "DASH", currency: "EUR", price: "24.31", time: before),
            AssetPrice(asset: "AXE", currency: "EUR", price: "0.02", time: before),
        ])
        let senders = ["coffee-shop", "bookshop", "museum", "grocer"]
        for number in 0..<40 {
            test.clock.advance(seconds: 60 * 60 * UInt64(40 + number * 37 % 130))
            let sender = senders[number % 4]
            let amount = "0.\(12 + number * 29 % 61)"
            let link: String
            switch number % 8 {
            case 0: link = "dashwallet://request=address&sender=\(sender)"
            case 5 where number < 30:
                link = "axewallet://pay=\(try await test.store.address(of: savings.id))"
                    + "&amount=\(amount)&sender=\(sender)"
            default:
                link = "dashwallet://pay=\(PageScene.payee)&amount=\(amount)&sender=\(sender)"
            }
            let request = try await test.store.receive(link)
            switch number % 8 {
            case 3: _ = try await test.store.reject(request.id)
            case 6 where number > 20: test.clock.advance(seconds: 3600)
            default: _ = try await test.approve(request.id)
            }
            try await test.store.mine()
            let price = AssetPrice(
                asset: "DASH", currency: "EUR", price: "2\(number % 7).\(number + 10)")
            try await test.store.set([price])
            if number % 9 == 4 {
                _ = try await test.store.fundFromFaucet(spending.id, amount: 250_000_000)
                _ = try await test.store.fundFromFaucet(games.id, amount: 700_000_000_000_000_000)
            }
            _ = try await test.store.sync()
            if number == 18 || number == 25 { try await hold(number == 18, spending, test) }
        }
        let gift = try #require(try await test.store.requests(after: nil).requests.first)
        try await test.store.set([
            Label(about: .request(gift.id), text: "For Anna"),
            Label(about: try LabelTarget("sender:museum"), text: "City museum"),
            Label(about: try LabelTarget("address:\(PageScene.payee)"), text: "Tickets"),
        ])
        let folder = try #require(Self.folder)
        let file = folder.path + "/report.html"
        // The folder of the store is removed with `test`.
        let made = try withExtendedLifetime(test) {
            try ProgramRun([
                "\(ProgramRun.folder)/daybook-replay", "report", test.store.path, "--out", file,
            ])
        }
        try #require(made.status == 0, "\(made.error)")
        return "file://\(file)"
    }

    /// Freezes the largest coin of a wallet, or lets it be spent again.
    private static func hold(_ isFrozen: Bool, _ wallet: Wallet, _ test: TestStore) async throws {
        let coins = try await test.store.coins(of: wallet.id).coins.prefix(2).map(\.id)
        if isFrozen {
            try await test.store.freeze(coins)
        } else {
            try await test.store.unfreeze(coins)
        }
    }
}

extension Tab {
    /// The size of a sheet without its margins, as a device's.
    static let paper: KeyValuePairs<String, JSON?> = [
        "width": .int(690), "height": .int(975), "deviceScaleFactor": .int(1),
        "mobile": .bool(false),
    ]

    /// Writes a picture of the whole page into a file, or of its top, if that is wanted.
    func draw(_ file: String) throws {
        try call("Emulation.setScrollbarsHidden", ["hidden": .bool(true)])
        let metrics = try call("Page.getLayoutMetrics")["cssContentSize"]
        let most = EnvironmentVariables.value("DAYBOOK_DRAW_HEIGHT").flatMap { Int64($0) } ?? .max
        let height = min(metrics?["height"]?.intValue ?? 0, most)
        let clip = JSON.record([
            "x": .int(0), "y": .int(0), "width": metrics?["width"], "height": .int(height),
            "scale": .int(1),
        ])
        let shot = try call(
            "Page.captureScreenshot",
            ["format": .string("png"), "captureBeyondViewport": .bool(true), "clip": clip])
        let bytes = try #require(Data(base64Encoded: shot["data"]?.stringValue ?? ""))
        try bytes.write(to: URL(filePath: file))
    }
}
