"use strict";
// Shows how an event's leaf hash leads to the root of the tree.
const bytesOf = hex => hex.match(/../g).map(pair => parseInt(pair, 16));
const hexOf = bytes =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
async function node(left, right) {
  const bytes = Uint8Array.of(1, ...bytesOf(left), ...bytesOf(right));
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
// Each batch is a whole subtree, or the last one. So the root follows from the hashes of the
// batches as a batch's hash follows from its leaves.
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

const texts = (within, style) =>
  Array.from(within.querySelectorAll(style), element => element.textContent);
function add(parent, tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.append(element);
  return element;
}
async function prove(leaf) {
  const batch = leaf.closest("details");
  const leaves = Array.from(batch.querySelectorAll(".leaf"));
  const batches = Array.from(document.querySelectorAll("#events details"));
  const steps = [
    ...await path(leaves.indexOf(leaf), leaves.map(leaf => leaf.textContent)),
    ...await path(batches.indexOf(batch), texts(document, ".batch")),
  ];
  let hash = leaf.textContent;
  const list = document.createElement("ol");
  list.className = "path";
  for (const [side, sibling] of steps) {
    hash = side === "left" ? await node(sibling, hash) : await node(hash, sibling);
    add(add(list, "li", side + " "), "code", sibling);
  }
  const holds = hash === document.getElementById("root").textContent;
  add(list, "li", holds ? "gives the root ✓" : "does not give the root ✗");
  leaf.after(list);
}
function show() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let part = target.closest("details"); part;
       part = part.parentElement.closest("details")) part.open = true;
  const isProven = target.nextElementSibling?.className === "path";
  if (target.className === "leaf" && !isProven && crypto.subtle) prove(target);
  target.scrollIntoView();
}
addEventListener("hashchange", show);
show();
