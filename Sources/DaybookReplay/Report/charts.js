// Draws the balances of the wallets; report.js calls it.

const svg = (tag, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

/// Round numbers from zero to at least the greatest.
function ticks(greatest) {
  if (!(greatest > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(greatest));
  const step = [0.2, 0.5, 1, 2, 5].map(factor => factor * power).find(s => s * 4 >= greatest);
  return Array.from({ length: Math.ceil(greatest / step) + 1 }, (_, index) => index * step);
}

/// The balance of a wallet in an asset: steps for the total, a fine line for its free part.
function chart(series) {
  const { asset } = series, unit = 10 ** (about.assets[asset].decimals ?? 0);
  const name = `${about.assets[asset].label} in ${walletName(series.wallet)}`;
  const value = minor => Number(BigInt(minor)) / unit;
  const points = [{ time: about.begin, held: series.opening[0], free: series.opening[1] },
    ...series.begins.map((time, row) => ({
      time, held: series.held[row], free: series.free[row], row }))];
  const greatest = Math.max(...[series.opening[0], ...series.highest].map(value));
  const marks = ticks(greatest), top = marks.at(-1);
  const x = time => (time - about.begin) / Math.max(1, about.end - about.begin) * 1000;
  const y = minor => 300 - value(minor) / top * 300;
  const ends = index => points[index + 1]?.time ?? about.end;

  const drawing = svg("svg", { viewBox: "0 0 1000 300", preserveAspectRatio: "none",
    "aria-hidden": true });
  for (const mark of marks) {
    drawing.append(svg("path", { class: "grid", d: `M0 ${300 - mark / top * 300}H1000` }));
  }
  const held = points.map((point, index) =>
    `${index ? "V" : `M${x(point.time)} `}${y(point.held)}H${x(ends(index))}`).join("");
  drawing.append(svg("path", { class: "area", d: `${held}V300H0Z` }));
  drawing.append(svg("path", { class: "held", d: held }));
  // The free part is drawn while it differs from the total, if that lasts long enough.
  for (let from = 0; from < points.length; from += 1) {
    if (points[from].free === points[from].held) continue;
    let to = from;
    while (points[to + 1] && points[to + 1].free !== points[to + 1].held) to += 1;
    if (ends(to) - points[from].time > 864e8) {
      const line = points.slice(from, to + 1).map((point, index) => (index ? "V"
        : `M${x(point.time)} `) + `${y(point.free)}H${x(ends(from + index))}`).join("");
      drawing.append(svg("path", { class: "free", d: line }));
    }
    from = to;
  }
  const cursor = svg("path", { class: "cursor", d: "" });
  drawing.append(cursor);

  const readout = make("output", { className: "readout" });
  const area = make("div", { className: "plot", role: "slider", tabIndex: 0,
    "aria-label": `${name}: changes`, "aria-valuemin": 0, "aria-valuemax": points.length - 1 });
  area.append(drawing);
  let place = points.length - 1;
  const describe = ({ time, held, free, row }) => {
    const span = row !== undefined && series.ends[row] > time
      ? ` to ${moment(series.ends[row])}, between ${coins(series.lowest[row], asset)} and `
        + `${coins(series.highest[row], asset)}, then` : ":";
    const part = free === held ? "" : `, ${coins(free, asset)} free`;
    return `${moment(time)}${span} ${withUnit(held, asset)}${part}`;
  };
  function look(index) {
    place = Math.min(points.length - 1, Math.max(0, index));
    const point = points[place];
    cursor.setAttribute("d", `M${x(point.time)} 0V300M${x(point.time)} ${y(point.held)}h0.01`);
    readout.textContent = describe(point);
    area.setAttribute("aria-valuenow", place);
    area.setAttribute("aria-valuetext", readout.textContent);
  }
  area.addEventListener("keydown", event => {
    const target = { ArrowLeft: place - 1, ArrowDown: place - 1, ArrowRight: place + 1,
      ArrowUp: place + 1, Home: 0, End: points.length - 1, PageUp: place + 10,
      PageDown: place - 10 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    look(target);
  });
  area.addEventListener("pointermove", event => {
    const box = area.getBoundingClientRect();
    const time = about.begin + (event.clientX - box.left) / box.width * (about.end - about.begin);
    look(points.findLastIndex(point => point.time <= time));
  });
  look(place);

  const scale = make("div", { className: "scale" }, ...marks.map((mark, index) => {
    const minor = BigInt(Math.round(Number(mark.toPrecision(12)) * unit));
    const label = make("span", {}, coins(minor, asset));
    label.style.bottom = `${index / (marks.length - 1) * 100}%`;
    return label;
  }));
  const dates = make("div", { className: "dates" }, make("span", {}, moment(about.begin)),
    make("span", {}, moment(about.end)));
  return make("figure", {}, make("figcaption", {}, make("h3", {}, name), readout),
    make("div", { className: "chart", "aria-label": name, role: "group" }, scale, area, dates),
    figures(series, points, describe));
}

/// The changes as a table, made when it is opened.
function figures(series, points) {
  const { asset } = series, isMerged = series.changes > series.first.length;
  const details = make("details", {}, make("summary", {},
    `${count(series.changes, "change")} in figures`));
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    const head = ["Time", "Event", "Held", "Free", ...(isMerged ? ["Lowest", "Highest"] : [])];
    const row = ({ time, held, free, row: n }) => make("tr", {},
      make("td", {}, moment(time)),
      make("td", {}, n === undefined ? "opening" : toEvent(series.first[n], `${series.first[n]}`)),
      ...[held, free, ...(isMerged ? [series.lowest[n] ?? held, series.highest[n] ?? held] : [])]
        .map(minor => make("td", { className: "number" }, coins(minor, asset))));
    details.append(make("div", { className: "wide", tabIndex: 0, role: "region",
      "aria-label": "Changes in figures" }, make("table", {},
      make("thead", {}, make("tr", {}, ...head.map((text, index) => make("th",
        { scope: "col", className: index > 1 ? "number" : "" }, text)))),
      make("tbody", {}, ...points.map(row)))));
  });
  return details;
}
