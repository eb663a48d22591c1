/// The page's only script: it calls the methods of a front, and listens to changes.
///
/// Whatever comes from the server is put into the page as text, never as markup.
enum PageScript {
    static let text = basics + session + lists + cards + wallets + start

    /// Elements, texts and calls.
    private static let basics = #"""
        "use strict";
        const byId = id => document.getElementById(id);
        // Characters that a reader can't see, or that turn the order of others around.
        const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
        const plain = value => String(value).replace(
          hidden, character => `\\u{${character.codePointAt(0).toString(16)}}`);
        function make(tag, attributes, ...children) {
          const element = document.createElement(tag);
          for (const [name, value] of Object.entries(attributes ?? {})) {
            if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
            else if (value === true) element.setAttribute(name, "");
            else if (value !== undefined && value !== false) element.setAttribute(name, value);
          }
          element.append(...children.flat().filter(child => child !== undefined));
          return element;
        }
        function announce(text) { byId("announcer").textContent = plain(text); }
        function complain(text) { byId("problem").textContent = text ? plain(text) : ""; }
        const sentence = error => `${plain(error.message)} (${plain(error.code ?? "failed")})`;
        const moment = text => make("time", {datetime: text}, new Date(text).toLocaleString());
        function coins(minor, decimals) {
          if (decimals === undefined || decimals === null) return minor;
          const digits = minor.replace("-", "").padStart(decimals + 1, "0");
          const whole = digits.slice(0, digits.length - decimals);
          const rest = digits.slice(digits.length - decimals).replace(/0+$/, "");
          return (minor.startsWith("-") ? "-" : "") + whole + (rest ? "." + rest : "");
        }
        class CallError extends Error {
          constructor(code, message) { super(message); this.code = code; }
        }
        let lastCall = 0;
        // The key is in no cookie: the browser would send it to every port of this host.
        async function ask(path, body) {
          const headers = {Authorization: `Bearer ${localStorage.getItem("key")}`};
          const options = body && {method: "POST", body: JSON.stringify(body),
            headers: {...headers, "Content-Type": "application/json"}};
          let response;
          try {
            response = await fetch(path, {redirect: "error", headers, ...options});
          } catch {
            throw new CallError("unreachable", "the server does not answer");
          }
          if (response.ok) return response;
          if (response.status === 401) showGate();
          const {error} = await response.json();
          throw new CallError(error.code, error.message);
        }
        async function call(method, params = {}) {
          const response = await ask("/rpc", {jsonrpc: "2.0", id: ++lastCall, method, params});
          const {error, result} = await response.json();
          if (error) throw new CallError(error.data?.code ?? error.code, error.message);
          return result;
        }

        """#

    /// The session and the changes; one tab listens for all of this browser, since a browser
    /// opens only six connections to a server.
    private static let session = #"""
        function showGate() {
          byId("gate").hidden = false;
          byId("content").hidden = true;
          byId("connection").textContent = "No session";
        }
        async function openSession() {
          const token = location.hash.slice(1);
          if (!/^[0-9a-f]{64}$/.test(token)) return;
          history.replaceState(null, "", "/");
          try {
            const {key} = await (await ask("/session", {token})).json();
            localStorage.setItem("key", key);
          } catch (error) {
            complain(sentence(error));
          }
        }
        const partsOf = {
          request: ["waiting", "flight"], balance: ["wallets", "flight"],
          callback: ["callbacks"], wallet: ["wallets", "waiting"], node: ["waiting"],
          policy: ["waiting"]};
        const all = ["waiting", "callbacks", "flight", "wallets"];
        const stale = new Set();
        let isLoading = false;
        const tooSlow = () => new Promise((_, fail) => setTimeout(
          () => fail({code: "noAnswer", message: "the server does not answer"}), 10000));
        async function refresh(...parts) {
          for (const part of parts) stale.add(part);
          if (isLoading) return;
          isLoading = true;
          try {
            while (stale.size > 0) {
              const part = all.find(part => stale.has(part));
              stale.delete(part);
              await Promise.race([loaders[part](), tooSlow()]);
            }
            complain("");
          } catch (error) {
            complain(sentence(error));
          } finally {
            isLoading = false;
          }
        }
        function take(message) {
          if (message.state) {
            byId("connection").textContent = message.state;
            if (message.isOpen) refresh(...all);
          } else {
            refresh(...message.changes.flatMap(change => partsOf[change.what] ?? []));
          }
        }
        function listen() {
          const channel = new BroadcastChannel("changes");
          channel.onmessage = event => take(event.data);
          const tell = message => { take(message); channel.postMessage(message); };
          const connect = async () => {
            for (;;) {
              try {
                const {body} = await ask("/changes");
                tell({state: "Connected", isOpen: true});
                for await (const change of changesIn(body)) tell(change);
              } catch (error) {
                // The lock goes to a tab with another session.
                if (error.code === "noSession") return;
              }
              tell({state: "Connection lost, trying again"});
              await new Promise(done => setTimeout(done, 1000));
            }
          };
          navigator.locks.request("changes", connect);
        }
        // Server-sent events; the browser's own reader of them can't send the key.
        async function* changesIn(body) {
          const reader = body.pipeThrough(new TextDecoderStream()).getReader();
          let text = "";
          for (let part; !(part = await reader.read()).done;) {
            const events = (text + part.value).split("\n\n");
            text = events.pop();
            for (const event of events) {
              const line = event.split("\n").find(line => line.startsWith("data: "));
              if (line) yield JSON.parse(line.slice(6));
            }
          }
        }

        """#

    private static let start = #"""
        const loaders = {
          waiting: loadWaiting, callbacks: loadCallbacks, flight: loadFlight,
          wallets: loadWallets};
        byId("link-form").addEventListener("submit", openLink);
        async function start() {
          await openSession();
          try {
            await call("info");
          } catch (error) {
            if (error.code !== "noSession") complain(sentence(error));
            return;
          }
          byId("content").hidden = false;
          byId("connection").textContent = "Connected";
          setInterval(watchCards, 100);
          // A change between loading and listening would be missed.
          listen();
          await refresh(...all);
          // A browser may lose a message between its tabs, and a computer sleeps.
          setInterval(() => refresh(...all), 10000);
        }
        // Another tab has opened a session.
        addEventListener("storage", () => location.reload());
        start();

        """#
}
