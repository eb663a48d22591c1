import DaybookEncoding

/// What the parts of the page are put together from.
extension Markup {
    mutating func link(to anchor: Anchor, _ text: String) {
        element(.a, [.link(to: anchor)], text)
    }

    mutating func moment(_ microseconds: UInt64) {
        element(.time, Moment.text(microseconds))
    }

    /// A text to be compared or copied character by character.
    mutating func code(_ text: String) {
        element(.code) { $0.excerpt(text) }
    }

    /// A name and its value in a list of such.
    mutating func pair(_ name: String, _ value: (inout Markup) -> Void) {
        element(.div) { page in
            page.element(.dt, name)
            page.element(.dd, [], value)
        }
    }

    /// A word that says how something stands, also where colours do not show.
    mutating func badge(_ word: String, _ standing: Standing) {
        let style: StaticString
        switch standing {
        case .good: style = "badge good"
        case .bad: style = "badge bad"
        case .open: style = "badge open"
        case .quiet: style = "badge"
        }
        element(.span, [.style(style)], word)
    }

    /// How something stands.
    enum Standing {
        case good, bad, open, quiet
    }

    /// A table that scrolls by itself where it is too wide.
    mutating func table<Failure: Error>(
        _ caption: String, _ columns: [String], numbers: [Int] = [],
        _ rows: (inout Markup) throws(Failure) -> Void
    ) throws(Failure) {
        let attributes: [Attribute] = [
            .style("wide"), .fixed("tabindex", "0"), .fixed("role", "region"), .label(caption),
        ]
        try element(.div, attributes) { page throws(Failure) in
            try page.element(.table) { page throws(Failure) in
                page.element(.caption, caption)
                page.element(.thead) { page in
                    page.element(.tr) { page in
                        for (index, column) in columns.enumerated() {
                            let scope = Attribute.fixed("scope", "col")
                            page.element(
                                .th, numbers.contains(index) ? [scope, .style("number")] : [scope],
                                column)
                        }
                    }
                }
                try page.element(.tbody, [], rows)
            }
        }
    }

    mutating func row(_ cells: (inout Markup) -> Void) {
        element(.tr, [], cells)
    }

    mutating func cell(_ text: String) { element(.td, text) }

    mutating func number(_ text: String) { element(.td, [.style("number")], text) }

    mutating func cell(_ content: (inout Markup) -> Void) { element(.td, [], content) }

    /// What is shown only when it is asked for, or printed.
    mutating func details<Failure: Error>(
        _ attributes: [Attribute] = [], isOpen: Bool = false,
        summary: (inout Markup) -> Void, _ content: (inout Markup) throws(Failure) -> Void
    ) throws(Failure) {
        try element(.details, attributes + (isOpen ? [.open] : [])) {
            page throws(Failure) in
            page.element(.summary, [], summary)
            try content(&page)
        }
    }
}
