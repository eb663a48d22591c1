package import DaybookEncoding

/// The user gave labels to things, or took labels away; an import gives many at once.
package struct LabelSet: EventData {
    package static let type = "label.set"
    package let labels: [Label]

    package init(_ labels: [Label]) { self.labels = labels }

    /// A thing, and its label from now on.
    package struct Label: Recorded, Equatable, Sendable {
        package let subject: LabelSubject
        /// The label; nil if the thing has none any more.
        package let text: String?

        package init(_ subject: LabelSubject, _ text: String?) {
            (self.subject, self.text) = (subject, text)
        }

        package init<Coder: FieldCoder>(
            _ value: Self?, by coder: inout Coder
        ) throws(Coder.Failure) {
            subject = try coder.field("about", value?.subject)
            text = try coder.optional("label", value?.text)
        }
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        labels = try coder.list("labels", value?.labels)
    }
}

/// The user took back prices that were recorded wrongly: from now on nothing takes them.
package struct PriceWithdrawn: EventData {
    package static let type = "price.withdrawn"
    package let prices: [Price]

    package init(_ prices: [Price]) { self.prices = prices }

    /// The asset, the currency and the time (µs) of the price.
    package struct Price: Recorded, Equatable, Sendable {
        package let key: PriceKey

        package init(_ key: PriceKey) { self.key = key }

        package init<Coder: FieldCoder>(
            _ value: Self?, by coder: inout Coder
        ) throws(Coder.Failure) {
            let time = try coder.field("at", value?.key.time)
            let asset = try coder.field("asset", value?.key.asset)
            key = PriceKey(
                asset, in: try coder.field("currency", value?.key.currency), at: time)
        }
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        prices = try coder.list("prices", value?.prices)
    }
}

/// The user said what assets were worth; an import says it of many times at once.
package struct PriceSet: EventData {
    package static let type = "price.set"
    package let prices: [Price]

    package init(_ prices: [Price]) { self.prices = prices }

    /// The price of a whole coin of an asset in a currency at a time (µs).
    package struct Price: Recorded, Equatable, Sendable {
        package let key: PriceKey
        package let price: DecimalNumber

        package init(_ key: PriceKey, _ price: DecimalNumber) {
            (self.key, self.price) = (key, price)
        }

        package init<Coder: FieldCoder>(
            _ value: Self?, by coder: inout Coder
        ) throws(Coder.Failure) {
            let time = try coder.field("at", value?.key.time)
            let asset = try coder.field("asset", value?.key.asset)
            price = try coder.field("price", value?.price)
            let currency = try coder.field("currency", value?.key.currency)
            key = PriceKey(asset, in: currency, at: time)
        }
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        prices = try coder.list("prices", value?.prices)
    }
}
