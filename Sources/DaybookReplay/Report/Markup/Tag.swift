/// The elements that a page is made of; there is none that fetches anything.
enum Tag: String {
    case html, head, body, meta, title, style, script, noscript
    case header, main, nav, section, footer
    case h1, h2, h3, p, ul, ol, li, dl, dt, dd, div, span, a, b, i, code, time, figure, figcaption
    case table, caption, thead, tbody, tr, th, td
    case details, summary
    case svg, g, path, rect
}
