/// The page's HTML, which holds nothing of the store: the script asks for that.
enum PageShell {
    static let text = head + waiting + money + foot

    private static let head = """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Daybook</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/page.css">
        <script src="/page.js" defer></script></head>
        <body>
        <a class="skip" href="#waiting">Skip to what waits for you</a>
        <header><h1>Daybook</h1>
        <p id="connection" role="status">Connecting…</p></header>
        <noscript><p>This page needs JavaScript, of its own server alone.</p></noscript>
        <div id="announcer" class="spoken" aria-live="polite" role="status"></div>
        <main id="main">
        <p id="problem" role="alert"></p>
        <section id="gate" aria-labelledby="gate-title" hidden>
        <h2 id="gate-title">No session</h2>
        <p>Open the page by the address that <code>daybook serve --page</code> has printed. The
        address is good for one browser: for another one, or if somebody else has used it, start
        the server again.</p></section>
        <div id="content" hidden>

        """

    private static let waiting = """
        <section id="waiting" aria-labelledby="waiting-title">
        <h2 id="waiting-title" tabindex="-1">Waiting for you</h2>
        <p id="nothing">Nothing waits. A request appears here when it comes in.</p>
        <div id="requests"></div>
        <p id="more-waiting" hidden>More requests wait. They appear as these are
        answered.</p></section>
        <section aria-labelledby="link-title"><h2 id="link-title">Open a link</h2>
        <form id="link-form" autocomplete="off">
        <label for="link">Payment link or request of an app</label>
        <div class="row"><input id="link" type="text" spellcheck="false" required
        placeholder="dash:…, dashwallet://…, iconex://…"><button>Open</button></div>
        <p id="link-result" role="status"></p></form></section>
        <section id="answered" aria-labelledby="answered-title" hidden>
        <h2 id="answered-title">Answered</h2><div id="answers"></div></section>
        <section id="callbacks" aria-labelledby="callbacks-title" hidden>
        <h2 id="callbacks-title">Callbacks to open</h2>
        <p>An app that asked gets its answer when its callback is opened.</p>
        <ul id="callback-list"></ul>
        <p id="more-callbacks" hidden>There are more. They appear as these are opened.</p></section>

        """

    private static let money = """
        <section id="flight" aria-labelledby="flight-title" hidden>
        <h2 id="flight-title">In flight</h2>
        <p>Signed, and not yet in a block.</p>
        <ul id="payments"></ul></section>
        <section aria-labelledby="wallets-title"><h2 id="wallets-title">Wallets</h2>
        <p id="no-wallets" hidden>There is no wallet: add one with
        <code>daybook wallet add</code>.</p>
        <div id="wallets"></div></section>

        """

    private static let foot = """
        </div></main></body></html>

        """
}
