extension PageScript {
    /// What waits, what was answered, callbacks, payments in flight, and the form for a link.
    static let lists = #"""
        const cards = new Map();
        let hasLoaded = false;
        const mostCards = 50;
        const mostCallbacks = 50;
        const mostAnswers = 50;
        // The oldest are shown, so that new requests can't push out the one that is being read.
        async function loadWaiting() {
          const {requests, next} = await call(
            "request.list", {status: ["pending"], after: -1, limit: mostCards});
          const ids = new Set(requests.map(request => request.request));
          for (const card of [...cards.values()]) {
            if (!ids.has(card.id)) await card.leave();
          }
          const fresh = requests.filter(request => !cards.has(request.request));
          for (const request of requests) {
            const card = cards.get(request.request) ?? new Card(request);
            await card.reload(request.prompt);
          }
          byId("more-waiting").hidden = next === undefined;
          showCount();
          if (hasLoaded && fresh.length > 0) {
            const last = fresh[fresh.length - 1];
            announce(`New request ${last.request} from ${last.sender ?? "an unnamed app"}. `
              + `${countWaiting()} waiting.`);
          }
          hasLoaded = true;
        }
        const countWaiting = () => cards.size + (byId("more-waiting").hidden ? "" : " or more");
        function showCount() {
          byId("nothing").hidden = cards.size > 0;
          const more = byId("more-waiting").hidden ? "" : "+";
          document.title = cards.size > 0 ? `(${cards.size}${more}) Daybook` : "Daybook";
        }
        const statuses = {
          completed: "Completed", rejected: "Rejected", failed: "Failed", refused: "Refused",
          expired: "Expired", cancelled: "Cancelled", signed: "Signed, not yet accepted by a node",
          sent: "Sent", coalesced: "The same as an earlier request"};
        function showAnswer(request, isOwn) {
          const status = statuses[request.status] ?? request.status;
          const reason = request.reason ?? request.error?.message;
          const heading = make("h3", {tabindex: "-1"}, `Request ${request.request}: ${status}`);
          const rows = [["From", request.sender], ["Reason", reason],
            ["Advice", request.advice], ["Transaction", request.txid]];
          const answers = byId("answers");
          answers.prepend(make("article", {"data-answered": request.request},
            heading, details(rows)));
          if (answers.childElementCount > mostAnswers) answers.lastElementChild.remove();
          byId("answered").hidden = false;
          announce(`Request ${request.request}: ${status}. ${reason ?? ""}`);
          if (isOwn) heading.focus();
        }
        function details(rows) {
          return make("dl", {}, rows.filter(([, value]) => value !== undefined)
            .flatMap(([name, value]) => [
              make("dt", {}, name),
              make("dd", {}, value instanceof Node ? value : plain(value))]));
        }
        const refusedSchemes = new Set(["javascript:", "data:", "file:", "blob:", "vbscript:",
          "about:", "filesystem:", "view-source:"]);
        function canOpen(url) {
          try {
            return !refusedSchemes.has(new URL(url).protocol);
          } catch {
            return false;
          }
        }
        async function deliver(request) {
          try {
            await call("callback.delivered", {request});
            announce(`The callback of request ${request} was opened.`);
            await refresh("callbacks");
          } catch (error) {
            complain(sentence(error));
          }
        }
        function callbackItem({request, url}) {
          const open = canOpen(url)
            ? make("a", {href: url, rel: "noreferrer noopener",
                target: /^https?:/i.test(url) ? "_blank" : undefined,
                // The browser follows the link first.
                onclick: () => setTimeout(deliver, 0, request)}, `Open callback of ${request}`)
            : make("strong", {}, "This link is not opened: its scheme is unsafe.");
          return make("li", {"data-callback": request}, open,
            make("p", {}, make("code", {}, plain(url))),
            make("button", {type: "button", onclick: () => deliver(request),
              "aria-label": `Mark callback of request ${request} as opened`}, "Mark as opened"));
        }
        async function loadCallbacks() {
          let callbacks = [], next;
          // Callbacks that the log has and that are not those of their requests are left out.
          do {
            ({callbacks, next} = await call("callback.list", {limit: mostCallbacks, after: next}));
          } while (callbacks.length === 0 && next !== undefined);
          byId("callbacks").hidden = callbacks.length === 0;
          byId("more-callbacks").hidden = next === undefined;
          byId("callback-list").replaceChildren(...callbacks.map(callbackItem));
        }
        async function loadFlight() {
          const {payments} = await call("payment.list");
          byId("flight").hidden = payments.length === 0;
          byId("payments").replaceChildren(...payments.map(payment =>
            make("li", {"data-payment": payment.request}, details([
              ["Request", payment.request], ["State", statuses[payment.status]],
              ["Since", payment.since && moment(payment.since)],
              ["Transaction", payment.txid], ["Reason", payment.reason],
              ["Advice", payment.advice]]))));
        }
        async function openLink(event) {
          event.preventDefault();
          const result = byId("link-result");
          try {
            const request = await call("request.open", {url: byId("link").value.trim()});
            const reason = request.reason ?? request.error?.message;
            if (request.status === "pending") {
              byId("link").value = "";
              result.textContent = "";
              await loadWaiting();
              // It may be behind many that wait.
              const card = cards.get(request.request) ?? new Card(request);
              await card.reload(request.prompt);
              showCount();
              card.heading.focus();
            } else if (request.status === "coalesced") {
              result.textContent = `The same request waits already: ${request.into}.`;
            } else {
              result.textContent = `Refused: ${plain(reason ?? request.status)}`;
            }
          } catch (error) {
            result.textContent = `Not opened: ${sentence(error)}`;
          }
        }

        """#
}
