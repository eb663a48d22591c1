"use strict";
// It calls the methods of a front, and listens to changes. Answers of the server are put
// into the page as text, never as markup.

// Elements, texts and calls.
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
// A time in a column: the line may break between the date and the time, and nowhere else.
function when(text) {
  const time = new Date(text);
  return make("time", {datetime: text, class: "when", title: time.toLocaleString()},
    make("span", {}, time.toLocaleDateString()), " ",
    make("span", {}, time.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit"})));
}
// A table that can be scrolled, also by keys, where it is wider than the page.
function table(label, columns, body) {
  return make("div", {class: "scroll", role: "region", "aria-label": label, tabindex: "0"},
    make("table", {}, make("caption", {class: "spoken"}, label),
      make("thead", {}, make("tr", {}, columns.map(([name, kind]) =>
        make("th", {scope: "col", class: kind}, name)))), body));
}
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

// The session and the changes; one tab listens for all of this browser, since a browser
// opens only six connections to a server.
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

// The user's labels. A dialog changes those of everything that a row names.
const labelOf = async about => (await call("label.list", {about})).labels[0].label ?? "";
function thingsOf({request, txid, sender, to}) {
  return [
    request !== undefined && [`request:${request}`, `Request ${request}`],
    txid && [`tx:${txid}`, `Transaction ${txid.slice(0, 8)}…${txid.slice(-6)}`],
    sender && [`sender:${sender}`, `Sender ${sender}`],
    to && [`address:${to}`, `Address ${to}`]].filter(Boolean);
}
function labelsOf({label, senderLabel, toLabel, walletLabel}) {
  const known = [["Label", label], ["Sender", senderLabel], ["Address", toLabel],
    ["Wallet", walletLabel]]
    .filter(([, text]) => text !== undefined);
  return known.length === 0 ? undefined : make("p", {class: "labels"},
    known.map(([name, text]) => `${name}: ${plain(text)}`).join(" · "));
}
// `done` draws the new label where no notification makes the page draw it.
function labelButton(name, things, done) {
  const key = things[0]?.[0];
  return key === undefined ? undefined : make("button", {type: "button", class: "small",
    "data-labels": key, "aria-label": `Labels of ${name}`,
    onclick: () => openLabels(things, done)}, "Label");
}
let labelFields = [], labelsDone;
async function openLabels(things, done) {
  try {
    labelFields = await Promise.all(things.map(async ([about, name]) => {
      const before = await labelOf(about);
      const input = make("input", {id: `label-${about}`, maxlength: 255, value: before});
      return {about, name, before, input};
    }));
  } catch (error) {
    return complain(sentence(error));
  }
  labelsDone = done;
  byId("labels-problem").textContent = "";
  byId("label-fields").replaceChildren(...labelFields.flatMap(({name, input}) =>
    [make("label", {for: input.id}, plain(name)), input]));
  byId("labels").showModal();
}
async function saveLabels(event) {
  event.preventDefault();
  try {
    for (const field of labelFields) {
      const label = field.input.value.trim();
      if (label !== field.before) await call("label.set", {about: field.about, label});
      field.before = label;
    }
  } catch (error) {
    byId("labels-problem").textContent = sentence(error);
    return;
  }
  byId("labels").close();
  announce("The labels are saved.");
  await refresh("waiting", "wallets");
  await labelsDone?.().catch(error => complain(sentence(error)));
  // The row with the button may have been drawn again.
  const active = document.activeElement;
  if (active !== document.body && !byId("labels").contains(active)) return;
  document.querySelector(`[data-labels="${CSS.escape(labelFields[0].about)}"]`)?.focus();
}

// Pending and answered requests, callbacks, payments in flight, and the form for a link.
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
    card.showLabels(request);
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
  // A page leaves out callbacks that differ from their requests', so more may follow an empty one.
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
    make("li", {"data-payment": payment.request},
      make("p", {}, `${payment.request}: ${plain(payment.summary)} `,
        labelButton(`request ${payment.request}`, thingsOf(payment), loadFlight)),
      labelsOf(payment), details([
        ["State", statuses[payment.status]], ["Wallet", payment.wallet],
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
      // The request may be behind more pending ones than the page lists.
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

// A prompt: its sentence, its warnings, the recipient and the amounts; the rest is
// folded. Where an earlier prompt is given, each line that differs has the old text beside it.
const mainDetails = ["to", "recipient", "consequence"];
function promptParts(prompt, before) {
  const marked = (text, old) => old === undefined || old === text ? [plain(text)]
    : [make("del", {}, plain(old)), " ", make("ins", {}, plain(text))];
  const earlier = new Map();
  const count = (counts, name) => counts.set(name, (counts.get(name) ?? 0) + 1).get(name);
  const oldRows = new Map();
  const amountText = ({amount, unit, share}) => `${amount} ${unit}` + (share ? ` (${share})` : "");
  const lines = prompt => [
    ...prompt.amounts.map(line => ({name: line.name, text: amountText(line), isMain: true})),
    ...(prompt.left ? [{name: "left afterwards", text: prompt.left, isMain: true,
      isLive: true}] : []),
    ...prompt.details.map(line => ({...line, isMain: mainDetails.includes(line.name)}))];
  for (const {name, text} of before ? lines(before) : []) {
    oldRows.set(`${name} ${count(earlier, name)}`, text);
  }
  const names = new Map();
  let hasChangedBelow = false;
  const main = [], folded = [];
  for (const {name, text, isMain, isLive} of lines(prompt)) {
    const old = oldRows.get(`${name} ${count(names, name)}`) ?? (before ? "" : undefined);
    const isChanged = !isLive && old !== undefined && old !== text;
    hasChangedBelow ||= isChanged && !isMain;
    const value = isChanged ? marked(text, old)
      : name === "to" ? grouped(text) : [plain(text)];
    const row = [make("dt", {"data-name": name}, worded(name)),
      make("dd", {class: name === "to" || name === "amount" ? "large" : undefined}, value)];
    if (name === "to") main.unshift(...row); else (isMain ? main : folded).push(...row);
  }
  const known = new Set((before ?? prompt).warnings.map(({text}) => text));
  return [
    make("p", {class: "headline"}, marked(prompt.headline, before?.headline)),
    prompt.problem ? make("p", {class: "problem"}, plain(prompt.problem)) : undefined,
    make("ul", {class: "warnings"}, prompt.warnings.map(({code, text}) =>
      make("li", {"data-code": plain(code)},
        known.has(text) ? plain(text) : make("ins", {}, plain(text))))),
    make("dl", {class: "main"}, main),
    make("details", {open: hasChangedBelow}, make("summary", {}, "Details"),
      make("dl", {}, folded))].filter(part => part !== undefined);
}
// A name in words: highest fee, and not highestFee.
const worded = name => plain(name).replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
// An address in groups of four that can be compared; it is copied without gaps.
function grouped(text) {
  const groups = /^[0-9A-Za-z]{20,}$/.test(text) ? text.match(/.{1,4}/g) : [text];
  return groups.map(group => make("span", {class: "group"}, plain(group)));
}
function duration(seconds) {
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  return hours >= 48 ? `${Math.floor(hours / 24)} days`
    : hours > 0 ? `${hours} h ${minutes % 60} min`
    : minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

// A pending request: its whole prompt, and the form that answers it.
const secondsToRead = 1;
const views = new IntersectionObserver(entries => {
  for (const {target, intersectionRect, boundingClientRect} of entries) {
    const needed = Math.min(boundingClientRect.height, innerHeight) / 2;
    target.card.isInView = intersectionRect.height > 0
      && intersectionRect.height >= needed;
  }
}, {threshold: [0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1]});
class Card {
  constructor(request) {
    this.id = request.request;
    this.request = request;
    this.choice = {};
    this.seen = 0;
    this.isBusy = false;
    this.isInView = false;
    this.build();
    cards.set(this.id, this);
    byId("requests").append(this.element);
  }
  build() {
    const id = `request-${this.id}`;
    this.heading = make("h3", {id, tabindex: "-1"}, `Request ${this.id}`);
    this.prompt = make("div", {"data-prompt": this.id});
    this.prompt.card = this;
    this.labels = make("div");
    this.expiry = make("p", {class: "quiet"});
    this.notice = make("p", {role: "alert"});
    this.passphrase = make("input", {id: `${id}-passphrase`, type: "password",
      autocomplete: "off"});
    this.hint = make("p", {id: `${id}-hint`, class: "quiet"});
    this.approve = make("button", {class: "main", disabled: true,
      "aria-describedby": `${id}-hint`}, "Approve");
    this.reject = make("button", {type: "button",
      onclick: () => this.answer("request.reject", {request: this.id})}, "Reject");
    this.fields = make("div");
    this.form = make("form", {autocomplete: "off", onsubmit: event => this.submit(event)},
      this.fields,
      make("label", {for: `${id}-passphrase`}, "Passphrase of the wallet"),
      this.passphrase, this.notice,
      make("div", {class: "row"}, this.approve, this.reject,
        labelButton(`request ${this.id}`, thingsOf(this.request))), this.hint);
    this.element = make("article", {"aria-labelledby": id, "data-request": this.id},
      this.heading, this.labels, this.prompt, this.expiry, this.form);
    this.showLabels(this.request);
  }
  showLabels(request) {
    this.labels.replaceChildren(...[labelsOf(request)].filter(Boolean));
  }
  // `prompt` is the prompt of the list, for the wallet that the card offers first.
  async reload(prompt) {
    if (this.isBusy) return;
    if (prompt && Object.keys(this.choice).length === 0) return this.show(prompt);
    try {
      ({prompt} = await call("request.prompt", {request: this.id, ...this.choice}));
    } catch (error) {
      if (error.code === "unreachable" || error.code === "noSession") throw error;
      this.digest = undefined;
      this.seen = 0;
      this.notice.textContent = sentence(error);
      return;
    }
    this.show(prompt);
  }
  show(prompt) {
    if (this.digest === prompt.digest) return;
    const isChange = this.digest !== undefined && !this.hasChosen;
    this.prompt.replaceChildren(...promptParts(prompt, isChange ? this.shown : undefined));
    this.digest = prompt.digest;
    this.shown = prompt;
    this.seen = 0;
    // The observer reports nothing when an element grows that is fully in view.
    this.isInView = false;
    views.unobserve(this.prompt);
    views.observe(this.prompt);
    this.isAmountMissing = prompt.amountMissing === true;
    this.showFields();
    this.countDown();
    this.notice.textContent = isChange
      ? "The request has changed since it was shown. What changed is marked." : "";
    this.hasChosen = false;
  }
  showFields() {
    const others = this.request.otherWallets ?? [];
    if (this.fields.childElementCount > 0) return;
    if (this.isAmountMissing) {
      const id = `request-${this.id}-amount`;
      this.fields.append(make("label", {for: id}, "Amount to pay"),
        make("input", {id, inputmode: "decimal", required: true,
          onchange: event => this.choose({amount: event.target.value.trim()})}));
    }
    if (others.length > 0) {
      const id = `request-${this.id}-wallet`;
      this.fields.append(make("label", {for: id}, "Wallet"),
        make("select", {id,
          onchange: event => this.choose({wallet: Number(event.target.value)
            || undefined})},
          make("option", {value: ""}, "as shown"),
          others.map(wallet => make("option", {value: wallet}, `wallet ${wallet}`))));
    }
  }
  async choose(choice) {
    this.choice = {...this.choice, ...choice};
    if (!this.choice.amount) delete this.choice.amount;
    this.hasChosen = true;
    await this.reload().catch(error => complain(sentence(error)));
  }
  // Shows how many seconds are left, and returns them.
  countDown() {
    const rest = Math.floor((Date.parse(this.request.expires) - Date.now()) / 1000);
    if (rest !== this.rest && rest >= 0) {
      this.expiry.replaceChildren("Expires in ", duration(rest), ", at ",
        moment(this.request.expires));
    }
    return this.rest = rest;
  }
  // A decision needs a prompt that was before the user's eyes for a second.
  tick(milliseconds) {
    const canRead = this.isInView && this.digest !== undefined && document.hasFocus()
      && document.visibilityState === "visible";
    this.seen = canRead ? this.seen + milliseconds : 0;
    const isRead = this.seen >= secondsToRead * 1000;
    const isReady = isRead && !this.isBusy && !this.isAmountMissing;
    if (this.approve.disabled === isReady) this.approve.disabled = !isReady;
    this.reject.disabled = this.isBusy;
    const hint = this.isBusy ? "Working…"
      : this.isAmountMissing ? "Enter the amount first."
      : isRead ? "" : "You can approve once the request was in view for a second.";
    if (this.hint.textContent !== hint) this.hint.textContent = hint;
    if (this.countDown() < 0 && !this.wasLate) {
      this.wasLate = true;
      refresh("waiting");
    }
  }
  submit(event) {
    event.preventDefault();
    if (this.approve.disabled) return;
    const passphrase = this.passphrase.value || undefined;
    this.passphrase.value = "";
    this.answer("request.approve",
      {request: this.id, shown: this.digest, passphrase, ...this.choice});
  }
  async answer(method, params) {
    if (this.isBusy) return;
    this.isBusy = true;
    this.notice.textContent = "";
    this.approve.disabled = true;
    announce("Working…");
    try {
      const request = await call(method, params);
      this.remove();
      showAnswer(request, true);
      await refresh("waiting", "callbacks", "flight", "wallets");
    } catch (error) {
      this.isBusy = false;
      await this.fail(error);
    }
  }
  async fail(error) {
    if (error.code === "promptChanged") await this.reload().catch(() => {});
    this.notice.textContent = sentence(error);
    this.passphrase.focus();
    // Another tab, or the clock, may have ended the request.
    refresh("waiting");
  }
  async leave() {
    if (this.isBusy) return;
    const request = await call("request.show", {request: this.id});
    // The request waits behind as many as the page lists.
    if (request.status === "pending") return;
    const hadFocus = this.element.contains(document.activeElement);
    this.remove();
    showAnswer(request, hadFocus);
  }
  remove() {
    views.unobserve(this.prompt);
    this.element.remove();
    cards.delete(this.id);
    showCount();
  }
}
let lastTick = performance.now();
function watchCards() {
  const now = performance.now();
  // A tab that was asleep has shown nothing meanwhile.
  const passed = Math.min(now - lastTick, 200);
  lastTick = now;
  for (const card of cards.values()) card.tick(passed);
}

// Balances, receive addresses and histories.
const walletCards = new Map();
async function loadWallets() {
  const {wallets} = await call("wallet.list");
  const {balances, outages = []} = await call("balance.list");
  byId("no-wallets").hidden = wallets.length > 0;
  const ids = new Set(wallets.map(wallet => wallet.wallet));
  for (const [id, card] of walletCards) {
    if (ids.has(id)) continue;
    card.element.remove();
    walletCards.delete(id);
  }
  for (const wallet of wallets) {
    if (!walletCards.has(wallet.wallet)) new WalletCard(wallet);
    await walletCards.get(wallet.wallet)
      .show(wallet, balances.filter(balance => balance.wallet === wallet.wallet),
        outages.find(outage => outage.chain === wallet.chain
          && outage.network === wallet.network));
  }
}
const balanceParts = [["available", "Available"], ["confirmed", "Confirmed"],
  ["unconfirmed", "Unconfirmed"], ["reserved", "Reserved"], ["held", "Held"],
  ["frozen", "Frozen"]];
// The coin of each chain, of which a wallet without movements shows a balance of zero.
const ownCoins = {dash: ["DASH", 8], axe: ["AXE", 8], icon: ["ICX", 18]};
const kinds = {received: "Received", sent: "Sent", moved: "Moved within the wallet",
  fee: "Fee", failed: "Failed: fee only", undone: "Undone", removed: "Wallet removed"};
class WalletCard {
  constructor(wallet) {
    this.id = wallet.wallet;
    const id = `wallet-${this.id}`;
    this.heading = make("h3", {id});
    this.about = make("p", {class: "quiet"});
    this.unlocked = make("p");
    this.lock = make("button", {type: "button", onclick: () => this.lockNow()}, "Lock");
    this.outage = make("p", {role: "status"});
    this.balances = make("div");
    this.receive = new Panel(this, "Receive", panel => this.loadAddress(panel));
    this.history = new Panel(this, "History", panel => this.loadHistory(panel));
    this.element = make("article", {"aria-labelledby": id, "data-wallet": this.id},
      this.heading, this.about, this.unlocked, this.lock, this.outage,
      this.balances,
      make("div", {class: "row"}, this.receive.button, this.history.button,
        labelButton(`wallet ${this.id}`, [[`wallet:${this.id}`, `Wallet ${this.id}`]])),
      this.receive.element, this.history.element);
    walletCards.set(this.id, this);
    byId("wallets").append(this.element);
  }
  async show(wallet, balances, outage) {
    this.name = plain(wallet.label ?? `Wallet ${this.id}`);
    this.heading.textContent = this.name;
    this.about.textContent =
      [wallet.chain, wallet.network, wallet.problem].filter(Boolean).map(plain).join(", ");
    this.showUnlocked(wallet.unlocked);
    this.showOutage(outage);
    this.receive.button.setAttribute("aria-label", `Receive to ${this.name}`);
    this.history.button.setAttribute("aria-label", `History of ${this.name}`);
    // Balances that have not changed stay, and keep the focus.
    const shown = JSON.stringify([this.name, balances]);
    if (this.shown !== shown) {
      this.balances.replaceChildren(this.table(
        balances.length > 0 ? balances : this.nothing(wallet.chain)));
      this.shown = shown;
    }
    this.decimals = new Map(balances.flatMap(balance =>
      [[balance.asset, balance], [balance.symbol, balance]]));
    for (const panel of [this.receive, this.history]) await panel.reload();
  }
  showOutage(outage) {
    this.outage.hidden = !outage;
    if (!outage) return;
    this.outage.replaceChildren(...(outage.lastRead
      ? ["Not read since ", moment(outage.lastRead)] : ["Never read"]),
      `: ${plain(outage.reason)}. The amounts are as of then.`);
  }
  showUnlocked(unlocked) {
    this.unlocked.hidden = this.lock.hidden = !unlocked;
    this.lock.setAttribute("aria-label", `Lock ${this.name}`);
    if (!unlocked) return;
    this.unlocked.replaceChildren("Unlocked until ", moment(unlocked.until),
      `: payments of up to ${unlocked.remaining} ${unlocked.symbol}, fees included, `
        + "need no passphrase.");
  }
  async lockNow() {
    try {
      await call("lock", {wallet: this.id});
      announce(`${this.name} is locked.`);
      await refresh("wallets");
    } catch (error) {
      complain(sentence(error));
    }
  }
  nothing(chain) {
    const [symbol, decimals] = ownCoins[chain] ?? [chain, 0];
    const zeros = balanceParts.map(([name]) => [name, "0"]);
    return [{asset: symbol, symbol, decimals, ...Object.fromEntries(zeros)}];
  }
  // A row for each part of the balance, a column for each asset.
  table(balances) {
    const parts = balanceParts.filter(([name], index) =>
      index < 4 || balances.some(balance => balance[name] !== "0"));
    const columns = [["Part"], ...balances.map(({symbol}) => [plain(symbol), "number"])];
    return table(`Balance of ${this.name}`, columns, make("tbody", {},
      parts.map(([name, label], index) => make("tr", {class: index === 0 ? "main" : undefined},
        make("th", {scope: "row"}, label),
        balances.map(balance => make("td", {class: "number", "data-part": name,
          "data-asset": balance.symbol}, coins(balance[name], balance.decimals)))))));
  }
  async loadAddress(panel) {
    const {address} = await call("wallet.address", {wallet: this.id});
    const about = `address:${address}`;
    const label = await labelOf(about);
    const shown = `${address} ${label}`;
    if (panel.shown === shown) return;
    panel.shown = shown;
    const code = await ask(`/qr?wallet=${this.id}&address=${encodeURIComponent(address)}`);
    const source = "data:image/svg+xml," + encodeURIComponent(await code.text());
    panel.element.replaceChildren(make("p", {}, make("code", {}, plain(address))),
      make("p", {}, label ? `Label: ${plain(label)} ` : "",
        labelButton("this address", [[about, `Address ${address}`]])),
      make("img", {class: "code", src: source, alt: `QR code of ${address}`}));
  }
  async loadHistory(panel) {
    const page = await call("history.list", this.historyPage());
    const shown = JSON.stringify(page);
    if (panel.shown === shown) return;
    panel.shown = shown;
    panel.rows = make("tbody");
    const columns = [["Time"], ["What"], ["Amount", "number"]];
    panel.element.replaceChildren(page.entries.length === 0
      ? make("p", {}, "Nothing has moved yet.")
      : table(`Movements of ${this.name}, newest first`, columns, panel.rows));
    this.append(page, panel);
  }
  historyPage(before) {
    const currency = byId("currency").value.trim() || undefined;
    return {wallet: this.id, limit: 50, before, currency};
  }
  append(page, panel) {
    panel.rows.append(...page.entries.map(entry => make("tr", {},
      make("td", {}, when(entry.time)), make("td", {}, this.what(entry)),
      this.amount(entry))));
    if (page.next === undefined) return;
    const more = make("button", {type: "button", onclick: async () => {
      more.remove();
      try {
        this.append(await call("history.list", this.historyPage(page.next)), panel);
      } catch (error) { complain(sentence(error)); }
    }}, "Older");
    panel.element.append(more);
  }
  amount(entry) {
    const balance = this.decimals.get(entry.asset);
    const symbol = entry.symbol ?? balance?.symbol ?? entry.asset ?? "";
    const value = entry.amount
      ?? (entry.minor && coins(entry.minor, balance?.decimals)) ?? "";
    const isIn = !value.startsWith("-") && value !== "0";
    return make("td", {class: isIn ? "number in" : "number"},
      make("span", {}, plain(isIn ? `+${value}` : value.replace("-", "−"))), " ",
      make("span", {class: "unit"}, plain(symbol)),
      entry.worth === undefined ? "" : make("div", {class: "quiet worth"},
        `${plain(entry.worth.replace("-", "−"))} ${plain(entry.currency)}`));
  }
  // A transaction's kind, its request, its label, and its id, which can be opened in full.
  what(entry) {
    const kind = kinds[entry.kind] ?? plain(entry.kind);
    const parts = [entry.request === undefined ? kind : `${kind}, request ${entry.request}`];
    if (entry.label !== undefined) parts.push(`: ${plain(entry.label)}`);
    if (entry.txid) {
      const short = `${entry.txid.slice(0, 8)}…${entry.txid.slice(-6)}`;
      parts.push(make("details", {}, make("summary", {}, make("code", {}, plain(short))),
        make("code", {}, plain(entry.txid))));
    }
    const {request, txid} = entry;
    // The transaction's label is the one that is shown, if both have one.
    const things = thingsOf({request, txid}).reverse();
    parts.push(labelButton(request === undefined ? "this movement"
      : `the movement of request ${request}`, things));
    return parts.filter(part => part !== undefined);
  }
}
// A part of a wallet that a button opens; it is loaded while it is open.
class Panel {
  constructor(card, label, load) {
    const id = `wallet-${card.id}-${label.toLowerCase()}`;
    this.load = load;
    this.element = make("div", {id, class: "panel", hidden: true});
    this.button = make("button", {type: "button", "aria-expanded": "false",
      "aria-controls": id, onclick: () => this.toggle()}, label);
  }
  async toggle() {
    this.element.hidden = !this.element.hidden;
    this.button.setAttribute("aria-expanded", String(!this.element.hidden));
    await this.reload();
  }
  async reload() {
    if (this.element.hidden) return;
    try {
      await this.load(this);
    } catch (error) {
      this.shown = undefined;
      this.element.replaceChildren(make("p", {role: "alert"}, sentence(error)));
    }
  }
}

// All requests, searched and filtered.
const searchFields = ["text", "sender", "amount", "address"];
const mostFound = 25;
let search = {};
function readSearch() {
  const filter = {};
  for (const name of searchFields) {
    const value = byId(`search-${name}`).value.trim();
    if (value) filter[name] = value;
  }
  const status = byId("search-status").value;
  if (status) filter.status = [status];
  // Days are those of the reader, times in calls are UTC.
  for (const name of ["from", "to"]) {
    const day = byId(`search-${name}`).value;
    if (day) filter[name] = new Date(`${day}T00:00`).toISOString();
  }
  return filter;
}
async function searchRequests(event) {
  event.preventDefault();
  search = {filter: readSearch(), rows: make("tbody"), count: 0};
  const own = search;
  const columns = [["Time"], ["Request"], ["Status"]];
  try {
    await findMore(own);
    if (own !== search) return;
    byId("past").replaceChildren(...(own.count === 0 ? []
      : [table("Requests, newest first", columns, own.rows), own.more].filter(Boolean)));
  } catch (error) {
    byId("past").replaceChildren();
    byId("search-result").textContent = `Not searched: ${sentence(error)}`;
  }
}
// A page may be short although more follow: a call looks at a bounded number of requests.
async function findMore(own) {
  byId("search-result").textContent = "Searching…";
  let found = 0;
  do {
    const {requests, next} = await call("request.list",
      {...own.filter, limit: mostFound - found, ...(own.next ? {before: own.next} : {})});
    own.rows.append(...requests.map(requestRow));
    found += requests.length;
    own.next = next;
  } while (own.next !== undefined && found < mostFound && own === search);
  own.count += found;
  own.more = own.next === undefined ? undefined
    : make("button", {type: "button", onclick: event => showMore(own, event.target)}, "Older");
  byId("search-result").textContent = own.count === 0 ? "No request is like that."
    : `${own.count} ${own.count === 1 ? "request" : "requests"}`
      + (own.next === undefined ? "." : ", and there are older ones.");
}
async function showMore(own, button) {
  button.disabled = true;
  try {
    await findMore(own);
    button.replaceWith(...[own.more].filter(Boolean));
    own.more?.focus();
  } catch (error) {
    button.disabled = false;
    byId("search-result").textContent = `Not searched: ${sentence(error)}`;
  }
}
function requestRow(request) {
  const isBad = ["refused", "failed", "expired"].includes(request.status);
  const reason = request.reason ?? request.error?.message;
  return make("tr", {"data-found": request.request},
    make("td", {}, request.received ? when(request.received) : ""),
    make("td", {class: "any"}, `${request.request}: ${plain(request.summary)} `,
      labelButton(`request ${request.request}`, thingsOf(request), drawFound),
      labelsOf(request), reason ? make("p", {class: "quiet"}, plain(reason)) : undefined),
    make("td", {class: isBad ? "status-bad" : undefined},
      statuses[request.status] ?? waitingStatuses[request.status] ?? plain(request.status)));
}
// Draws the rows that were found again, because labels have changed.
async function drawFound() {
  for (const row of byId("past").querySelectorAll("[data-found]")) {
    const before = Number(row.dataset.found) + 1;
    const {requests} = await call("request.list", {before, limit: 1});
    if (requests.length > 0) row.replaceWith(requestRow(requests[0]));
  }
}
const waitingStatuses = {pending: "Waits for you", deferred: "Waits for a node",
  received: "Recorded"};
function offerStatuses() {
  for (const [value, label] of [...Object.entries(waitingStatuses),
    ...Object.entries(statuses)]) {
    byId("search-status").append(make("option", {value}, label));
  }
}
function clearSearch() {
  search = {};
  byId("past").replaceChildren();
  byId("search-result").textContent = "";
}

const loaders = {
  waiting: loadWaiting, callbacks: loadCallbacks, flight: loadFlight,
  wallets: loadWallets};
byId("link-form").addEventListener("submit", openLink);
byId("search-form").addEventListener("submit", searchRequests);
byId("search-form").addEventListener("reset", clearSearch);
byId("currency").value = localStorage.getItem("currency") ?? "";
byId("currency").addEventListener("change", () => {
  localStorage.setItem("currency", byId("currency").value.trim().toUpperCase());
  refresh("wallets");
});
byId("labels-form").addEventListener("submit", saveLabels);
byId("labels-cancel").addEventListener("click", () => byId("labels").close());
offerStatuses();
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
