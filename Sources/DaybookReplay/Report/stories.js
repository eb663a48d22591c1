// Tells one request or one event, with its proof; the page begins at the end of this file.

const detail = get("detail");

function facts(pairs, className = "") {
  const known = pairs.filter(([, value]) => value !== undefined && value !== "");
  if (known.length === 0) return undefined;
  return make("dl", { className }, ...known.map(([name, value]) => make("div",
    { className: name.startsWith("⚠") ? "warning" : "" },
    make("dt", {}, name), make("dd", {}, value))));
}

function told(event) {
  const { what, text, request, values } = event.step;
  const source = make("span", { className: "source" }, toEvent(event.position));
  return make("li", {}, make("time", {}, clock(event.time)), " ", make("b", {}, what),
    text && !/^[:;,]/.test(text) ? ` ${text}` : text, " ", request ? toRequest(request) : "",
    " ", source, facts(values, "prompt"));
}

function story(request) {
  const steps = (log().ofRequest.get(request.id) ?? []).filter(event => event.step);
  const moves = movements().filter(row => row.request === request.id);
  return [`Request ${request.id}`,
    make("p", {}, badge(request.status), " ", make("b", { className: "headline" },
      request.headline)),
    make("p", {}, `Request ${request.id} ${request.sentence}.`,
      request.advice && ` What can be done: ${request.advice}.`),
    facts([["label", request.label], ["received", moment(request.time)],
      ["sender", request.sender && `${request.sender} (unverified)`],
      ["known as", request.known],
      ["wallet", walletName(request.wallet)],
      ...moves.map(row => [row.kind, make("span", {}, withUnit(row.amount, row.asset),
        row.fee && `, ${coins(row.fee, row.asset)} of it the fee`,
        row.worth && `, worth ${row.worth.replace("-", "−")}`, ` · ${moment(row.time)}`)])]),
    make("h3", {}, "What happened"),
    make("ol", { className: "steps" }, ...steps.map(told))];
}

function one(event) {
  const proof = make("div", { className: "proof" });
  if (about.showsEvents && crypto.subtle) prove(event.position, proof);
  return [`Event ${event.position}`,
    make("p", {}, make("b", { className: "headline" }, event.type)),
    facts([["time", `${moment(event.time)}.${String(event.time % 1e6).padStart(6, "0")}`],
      ["follows from", event.cause === undefined ? `brought by ${event.actor}`
        : toEvent(event.cause)],
      ["session", toEvent(event.session, `session ${event.session}`)],
      ["request", event.request === undefined ? undefined : toRequest(event.request)]]),
    event.step && make("ol", { className: "steps" }, told(event)),
    event.values.length > 0 && make("h3", {}, "Recorded values"),
    event.values.length > 0 && facts(event.values, "values"), proof].filter(Boolean);
}

/// Opens what the address names: a request, or an event with its proof.
function openTarget() {
  const [, kind, number] = /^#([re])(\d+)$/.exec(location.hash) ?? [];
  const thing = kind === "r" ? byID.get(Number(number))
    : kind === "e" ? log().at.get(Number(number)) : undefined;
  if (!thing) return detail.open && detail.close();
  const [title, ...content] = kind === "r" ? story(thing) : one(thing);
  const close = make("button", { type: "button", onclick: () => detail.close() }, "Close");
  detail.replaceChildren(make("div", { className: "bar" },
    make("h2", { id: "detail-title" }, title), close), ...content);
  if (!detail.open) detail.showModal();
  detail.scrollTop = 0;
}
detail.addEventListener("close", () => {
  if (/^#[re]\d/.test(location.hash)) history.replaceState(null, "", "#requests");
});
detail.addEventListener("click", event => { if (event.target === detail) detail.close(); });

// --- Proofs ---------------------------------------------------------------------------------


async function node(left, right) {
  const bytes = new Uint8Array([1, ...left, ...right]);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
// A piece of the log is a whole subtree, or the last one. So the root follows from the nodes of
// the pieces as a piece's node follows from its leaves (RFC 6962, section 2.1).
function halves(hashes) {
  const middle = 2 ** Math.floor(Math.log2(hashes.length - 1));
  return [hashes.slice(0, middle), hashes.slice(middle)];
}
async function root(hashes) {
  if (hashes.length === 1) return hashes[0];
  const [left, right] = halves(hashes);
  return node(await root(left), await root(right));
}
async function path(index, hashes) {
  if (hashes.length === 1) return [];
  const [left, right] = halves(hashes);
  return index >= left.length
    ? [...await path(index - left.length, right), ["left", await root(left)]]
    : [...await path(index, left), ["right", await root(right)]];
}

/// Shows how an event's leaf hash leads to the root of the tree.
async function prove(position, place) {
  const all = pieces(), index = all.findLastIndex(piece => piece.first <= position);
  const bytes = bytesOf(all[index].leaves), leaves = [];
  for (let i = 0; i < bytes.length; i += 32) leaves.push(bytes.subarray(i, i + 32));
  const leaf = leaves[position - all[index].first];
  const steps = [...await path(position - all[index].first, leaves),
    ...await path(index, all.map(piece => bytesOf(piece.node)))];
  let hash = leaf;
  for (const [side, other] of steps) {
    hash = side === "left" ? await node(other, hash) : await node(hash, other);
  }
  const holds = hexOf(hash) === hexOf(bytesOf(about.root));
  place.replaceChildren(make("h3", {}, "Proof"),
    make("p", { className: `verdict ${holds ? "good" : "bad"}` }, holds
      ? "✓ The leaf leads to the root of the log." : "✗ The leaf does not lead to the root."),
    make("ol", { className: "path" }, make("li", {}, "leaf ", make("code", {}, hexOf(leaf))),
      ...steps.map(([side, other]) => make("li", {}, `${side} `, make("code", {}, hexOf(other)))),
      make("li", {}, "root ", make("code", {}, hexOf(hash)))));
}

// --- Beginning ------------------------------------------------------------------------------

setUpLists();
if (about.series.length > 0) {
  get("balances").hidden = false;
  get("charts").append(...about.series.map(chart));
}
addEventListener("hashchange", openTarget);
openTarget();
// The texts for a search are made while the page is idle.
(window.requestIdleCallback ?? setTimeout)(() => haystacks());
