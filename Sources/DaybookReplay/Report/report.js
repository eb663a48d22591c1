"use strict";
// Draws the selected part of the log from the data in the page. Data goes into the page as text
// only.

const get = id => document.getElementById(id);
const parsed = kind => Array.from(document.querySelectorAll(`script.${kind}`),
  script => JSON.parse(script.textContent));

/// An element with properties, attributes and children; texts become text nodes.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name in element && name !== "role") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child !== undefined && child !== ""));
  return element;
}

const bytesOf = text => Uint8Array.from(atob(text), character => character.charCodeAt(0));
const hexOf = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");

// --- The data -------------------------------------------------------------------------------

const about = parsed("about")[0];
const wallets = new Map(about.wallets.map(wallet => [wallet.id, wallet]));
const walletName = id => wallets.get(id)?.name ?? (id < 0 ? "" : `wallet ${id}`);

/// The running sums of a column of differences.
function sums(column) {
  let sum = 0;
  return column.map(difference => sum += difference);
}

function loadRequests() {
  const all = [];
  for (const piece of parsed("requests")) {
    const ids = sums(piece.id), times = sums(piece.time);
    ids.forEach((id, row) => {
      const text = name => piece.texts[piece[name][row]];
      all.push({
        id, time: times[row], headline: text("headline"), amount: text("amount"),
        sender: text("sender"), wallet: piece.wallet[row], status: text("status"),
        sentence: text("sentence"), advice: text("advice"), label: text("label"),
        known: text("known"),
      });
    });
  }
  return all.sort((one, other) => one.id - other.id);
}

function loadMovements() {
  const all = [];
  for (const piece of parsed("movements")) {
    piece.time.forEach((time, row) => all.push({
      time, wallet: piece.wallet[row], asset: piece.asset[row], amount: piece.amount[row],
      fee: piece.fee[row], kind: piece.texts[piece.kind[row]],
      transaction: hexOf(bytesOf(piece.transaction[row])), request: piece.request[row],
      position: piece.position[row], worth: piece.texts[piece.worth[row]],
    }));
  }
  return all.sort((one, other) => one.time - other.time || one.position - other.position);
}

function readEvents(piece, all) {
  if (!piece.time) return;
  const times = sums(piece.time), texts = piece.texts;
  const positions = piece.position ? sums(piece.position)
    : times.map((_, row) => piece.first + row);
  positions.forEach((position, row) => {
    const step = piece.step[row], cause = piece.cause[row];
    const names = step && texts[step[3]].split("\n");
    all.push({
      position, time: times[row], type: texts[piece.type[row]],
      actor: cause < 0 ? texts[-cause] : "", cause: cause < 0 ? undefined : position - cause,
      session: piece.session[row] ?? piece.session,
      request: piece.request[row] ? position - piece.request[row] + 1 : undefined,
      step: step && {
        what: texts[step[0]], text: texts[step[1]], request: step[2],
        values: step.slice(4).map((place, index) => [names[index], texts[place]]),
      },
      values: pairs(piece.values?.[row] ?? [], texts),
    });
  });
}

function pairs(places, texts) {
  const values = [];
  for (let i = 0; i < places.length; i += 2) {
    values.push([texts[places[i]], texts[places[i + 1]]]);
  }
  return values;
}

/// A value that is made when it is asked for first.
function once(build) {
  let value;
  return () => value ??= build();
}

const requests = loadRequests();
const byID = new Map(requests.map(request => [request.id, request]));
const movements = once(loadMovements);
const pieces = once(() => parsed("events"));
const log = once(() => {
  const all = [], ofRequest = new Map(), at = new Map(), sessions = new Map();
  for (const piece of pieces()) readEvents(piece, all);
  for (const event of all) {
    at.set(event.position, event);
    if (event.request !== undefined) {
      if (!ofRequest.has(event.request)) ofRequest.set(event.request, []);
      ofRequest.get(event.request).push(event);
    }
    const session = sessions.get(event.session)
      ?? { id: event.session, time: event.time, front: "", events: 0, requests: 0 };
    sessions.set(event.session, session);
    if (event.position === event.session) session.front = event.step?.text ?? "";
    session.events += 1;
    session.requests += event.request === event.position ? 1 : 0;
    session.last = event.time;
  }
  const bindings = all.filter(event => event.type === "binding.granted");
  return { all, ofRequest, at, bindings, sessions: [...sessions.values()] };
});

/// All texts of a request in lower case, in which a search looks.
const haystacks = once(() => new Map(requests.map(request => [request.id, haystack(request)])));
function haystack(request) {
  const parts = [`request ${request.id}`, request.headline, request.amount, request.sender,
    request.status, request.sentence, request.label, request.known,
    walletName(request.wallet)];
  for (const { step } of log().ofRequest.get(request.id) ?? []) {
    if (step) parts.push(step.what, step.text, ...step.values.flat());
  }
  return parts.join("\n").toLowerCase();
}

// --- Texts ----------------------------------------------------------------------------------

/// A time as ISO 8601; a damaged log can have times that no calendar has.
function iso(time) {
  const date = new Date(time / 1000);
  return isNaN(date) ? "9999-99-99T99:99:99.999Z" : date.toISOString();
}
const day = time => iso(time).slice(0, 10);
const clock = time => iso(time).slice(11, 19);
const moment = time => `${day(time)} ${clock(time)}`;
const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const weekday = time => new Date(time / 1000)
  .toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });

/// An amount of an asset in whole coins, from minor units.
function coins(minor, asset) {
  const { decimals } = about.assets[asset];
  const amount = BigInt(minor), sign = amount < 0n ? "−" : "";
  const digits = (amount < 0n ? -amount : amount).toString();
  if (decimals === undefined) return `${sign}${digits} units`;
  const padded = digits.padStart(decimals + 1, "0"), point = padded.length - decimals;
  const rest = padded.slice(point).replace(/0+$/, "");
  return sign + padded.slice(0, point) + (rest && `.${rest}`);
}
const withUnit = (minor, asset) => `${coins(minor, asset)} ${about.assets[asset].symbol}`;

const tones = {
  completed: "good", refused: "bad", failed: "bad", rejected: "", expired: "", coalesced: "",
  cancelled: "",
};
function badge(status) {
  const tone = status.includes("not paid") ? "bad" : tones[status] ?? "open";
  return make("span", { className: `badge ${tone}` }, status);
}
/// The user's label of a request, and what it asked for.
const titled = row => row.label ? `${row.label} · ${row.headline}` : row.headline;
function toRequest(id, text = `request ${id}`) {
  return byID.has(id) ? make("a", { href: `#r${id}` }, text) : text;
}
function toEvent(position, text = `event ${position}`) {
  return log().at.has(position) ? make("a", { href: `#e${position}` }, text) : text;
}

// --- The lists ------------------------------------------------------------------------------

const form = get("filter"), list = get("list"), table = get("table");

/// Movements have a value where the user recorded prices.
const movementColumns = once(() => [
  ["Time", "time", row => clock(row.time)],
  ["What", "main", row => make("span", {}, row.kind, " ", row.request < 0 ? ""
    : toRequest(row.request))],
  ["Wallet", "wallet", row => walletName(row.wallet)],
  ["Transaction", "code", row => row.transaction],
  ["Fee in it", "number", row => row.fee && coins(row.fee, row.asset)],
  ...(movements().some(row => row.worth)
    ? [["Worth then", "number worth", row => row.worth.replace("-", "−")]] : []),
  ["Amount", "number", row => withUnit(row.amount, row.asset)],
]);

/// Each list: its rows, whether a row passes the filter, its columns (name, class, cell).
const lists = {
  requests: {
    title: "Requests", all: () => requests,
    holds: (row, filter) => passes(row, row, filter),
    columns: [
      ["Time", "time", row => clock(row.time)],
      ["Request", "main", row => toRequest(row.id, titled(row))],
      ["Sender", "sender", row => row.sender],
      ["Wallet", "wallet", row => walletName(row.wallet)],
      ["Amount", "number", row => row.amount],
      ["Status", "status", row => badge(row.status)],
    ],
  },
  movements: {
    title: "Movements", all: () => movements(),
    holds: (row, filter) => passes(row, byID.get(row.request), filter)
      && (!filter.asset || about.assets[row.asset].label === filter.asset),
    get columns() { return movementColumns(); },
  },
  bindings: {
    title: "Who knows what", noun: "bindings", all: () => log().bindings,
    holds: (row, filter) => passes(row, byID.get(row.request), filter),
    columns: [
      ["Since", "time", row => clock(row.time)],
      ["Caller (unverified)", "sender", row => byID.get(row.request)?.sender ?? ""],
      ["Knows", "main", row => row.step?.text],
      ["", "code", row => row.step?.values.map(value => value[1]).join(" ")],
      ["By", "status", row => toRequest(row.request)],
    ],
  },
  sessions: {
    title: "Sessions", all: () => log().sessions,
    holds: (row, filter) => passes(row, undefined, { ...filter, wallet: "", sender: "" }),
    columns: [
      ["Began", "time", row => clock(row.time)],
      ["Session", "main", row => toEvent(row.id, row.front || `session ${row.id}`)],
      ["Last event", "code", row => moment(row.last)],
      ["Requests", "number", row => `${row.requests}`],
      ["Events", "number", row => `${row.events}`],
    ],
  },
  events: {
    title: "Events", all: () => log().all,
    holds: (row, filter) => passes(row, byID.get(row.request), filter),
    columns: [
      ["Time", "time", row => clock(row.time)],
      ["Event", "main", row => toEvent(row.position, `${row.position} ${row.type}`)],
      ["Follows from", "sender", row => row.cause === undefined ? `brought by ${row.actor}`
        : toEvent(row.cause)],
      ["Request", "status", row => row.request === undefined ? "" : toRequest(row.request)],
    ],
  },
};
if (!about.showsEvents) delete lists.events;

/// Whether a row passes the filter; `request` is the request that it belongs to.
function passes(row, request, filter) {
  if (row.time < filter.from || row.time >= filter.to) return false;
  const wallet = row.wallet ?? request?.wallet;
  if (filter.wallet && walletName(wallet ?? -1) !== filter.wallet) return false;
  if (filter.sender && request?.sender !== filter.sender) return false;
  if (filter.status && request?.status !== filter.status) return false;
  if (filter.asset && row.asset === undefined && !movesOf(request, filter.asset)) return false;
  if (!filter.text) return true;
  if (request && haystacks().get(request.id).includes(filter.text)) return true;
  return ownText(row).includes(filter.text);
}
const ownText = row => [row.transaction, row.type, row.front, row.kind, row.worth,
  row.position === undefined ? "" : `event ${row.position}`].join("\n").toLowerCase();

const assetsOf = once(() => {
  const found = new Map();
  for (const row of movements()) {
    if (!found.has(row.request)) found.set(row.request, new Set());
    found.get(row.request).add(about.assets[row.asset].label);
  }
  for (const { id, amount } of requests) {
    const symbol = amount.slice(amount.indexOf(" ") + 1);
    if (!symbol) continue;
    if (!found.has(id)) found.set(id, new Set());
    found.get(id).add(symbol);
  }
  return found;
});
const movesOf = (request, asset) => assetsOf().get(request?.id)?.has(asset) ?? false;

let shown = "requests", rows = [], found = [], tops = [0];

function filterValues() {
  const value = name => form.elements[name].value;
  const time = text => Date.parse(`${text}T00:00:00Z`) * 1000;
  return {
    text: value("text").trim().toLowerCase(), sender: value("sender"),
    wallet: value("wallet"), asset: value("asset"), status: value("status"),
    from: value("from") ? time(value("from")) : -Infinity,
    to: value("to") ? time(value("to")) + 864e8 : Infinity,
  };
}

/// Filters the list that is shown, and puts a line before each day.
function filter() {
  const values = filterValues(), { all, holds } = lists[shown];
  found = all().filter(row => holds(row, values));
  rows = [];
  let today, line;
  for (const row of found) {
    const date = day(row.time);
    if (date !== today) {
      today = date;
      line = { day: date, time: row.time, count: 0 };
      rows.push(line);
    }
    line.count += 1;
    rows.push(row);
  }
  table.setAttribute("aria-rowcount", rows.length + 1);
  get("summary").textContent = summary();
  list.scrollTop = 0;
  layOut();
}

/// The number of listed rows, and the amounts that they moved.
function summary() {
  const all = lists[shown].all().length, name = lists[shown].noun ?? shown;
  const listed = found.length === all ? `${all} ${name}` : `${found.length} of ${all} ${name}`;
  if (shown !== "requests" && shown !== "movements") return listed;
  const ids = new Set(found.map(row => row.id)), paid = new Map();
  for (const row of shown === "movements" ? found : movements()) {
    if (shown === "requests" && !ids.has(row.request)) continue;
    const sum = paid.get(row.asset) ?? { in: 0n, out: 0n, fee: 0n };
    paid.set(row.asset, sum);
    const amount = BigInt(row.amount), fee = BigInt(row.fee || 0);
    if (amount < 0n) { sum.out -= amount + fee; sum.fee += fee; } else sum.in += amount;
  }
  const parts = [...paid].sort((one, other) => one[0] - other[0]).map(([asset, sum]) => [
    sum.in && `${withUnit(sum.in, asset)} received`, sum.out && `${withUnit(sum.out, asset)} sent`,
    sum.fee && `${withUnit(sum.fee, asset)} of fees`].filter(Boolean).join(", "));
  return [listed, ...parts.filter(Boolean)].join(" · ");
}

/// Measures a row, and draws the header and as much of the list as is seen.
function layOut() {
  const { columns } = lists[shown];
  const header = make("div", { role: "row", className: "row header", "aria-rowindex": 1 },
    ...columns.map(([name, kind]) => make("div", { role: "columnheader", className: kind }, name)));
  const isPriced = columns.some(([, kind]) => kind.includes("worth"));
  table.className = isPriced ? `${shown} priced` : shown;
  table.replaceChildren(make("div", { role: "rowgroup" }, header),
    make("div", { role: "rowgroup", className: "rows" }));
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const height = name => rem * parseFloat(getComputedStyle(list).getPropertyValue(name));
  const [rowHeight, dayHeight] = [height("--row"), height("--day")];
  let top = 0;
  tops = rows.map(row => {
    const place = top;
    top += row.day ? dayHeight : rowHeight;
    return place;
  });
  table.lastChild.style.height = `${top}px`;
  draw();
}

/// The row at a height of the list.
function rowAt(height) {
  let low = 0, high = rows.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (tops[middle] <= height) low = middle; else high = middle;
  }
  return low;
}

function draw() {
  const body = table.lastChild, { columns } = lists[shown];
  const first = Math.max(0, rowAt(list.scrollTop) - 8);
  const last = Math.min(rows.length, rowAt(list.scrollTop + list.clientHeight) + 8);
  const focused = document.activeElement?.getAttribute("href");
  body.replaceChildren(...rows.slice(first, last).map((row, offset) => {
    const index = first + offset;
    const element = row.day
      ? make("div", { role: "row", className: "row day", "aria-rowindex": index + 2 },
        make("div", { role: "cell" }, make("b", {}, row.day),
          ` ${weekday(row.time)} · ${row.count}`))
      : make("div", { role: "row", className: "row", "aria-rowindex": index + 2 },
        ...columns.map(([, kind, cell]) =>
          make("div", { role: "cell", className: kind }, cell(row) ?? "")));
    element.style.top = `${tops[index]}px`;
    return element;
  }));
  if (rows.length === 0) {
    body.append(make("p", { className: "note" }, "Nothing passes the filter."));
  }
  if (focused) body.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

function choose(name) {
  shown = name;
  for (const tab of get("tabs").children) {
    const isChosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
  }
  list.setAttribute("aria-labelledby", `tab-${name}`);
  table.setAttribute("aria-label", lists[name].title);
  filter();
}

function setUpLists() {
  get("requests").hidden = false;
  for (const [name, { title }] of Object.entries(lists)) {
    get("tabs").append(make("button", {
      id: `tab-${name}`, type: "button", role: "tab", "aria-controls": "list",
      onclick: () => choose(name),
    }, title));
  }
  get("tabs").addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...get("tabs").children], place = tabs.indexOf(document.activeElement) + step;
    const tab = tabs[(place + tabs.length) % tabs.length];
    tab.focus();
    tab.click();
  });
  const options = {
    sender: new Set(requests.map(request => request.sender).filter(Boolean).sort()),
    wallet: about.wallets.map(wallet => wallet.name),
    asset: new Set(about.assets.map(asset => asset.label)),
    status: new Set(requests.map(request => request.status).sort()),
  };
  for (const [name, values] of Object.entries(options)) {
    form.elements[name].append(...Array.from(values, value => make("option", { value }, value)));
  }
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", event => event.preventDefault());
  list.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  addEventListener("resize", layOut);
  choose("requests");
}

// --- Paper ----------------------------------------------------------------------------------

/// On paper there is a line for each request that passes the filter.
function addLines() {
  document.querySelector(".lines")?.remove();
  const values = filterValues();
  const lines = requests.filter(row => lists.requests.holds(row, values));
  const cells = row => [moment(row.time).slice(0, 16), `${row.id}`, titled(row), row.sender,
    row.amount, row.status];
  const part = (tag, texts) => make("tr", {}, ...texts.map((text, index) =>
    make(tag, { className: index === 4 ? "number" : "" }, text)));
  get("requests").after(make("section", { className: "lines" },
    make("h2", {}, count(lines.length, "request")), make("table", {},
      make("thead", {}, part("th", ["Time", "No.", "Request", "Sender", "Amount", "Status"])),
      make("tbody", {}, ...lines.map(row => part("td", cells(row)))))));
}
addEventListener("beforeprint", addLines);
addEventListener("afterprint", () => document.querySelector(".lines")?.remove());
