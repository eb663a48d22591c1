import DaybookEncoding

/// Prices as a table of comma-separated values.
enum PriceFile {
    private static let columns = ["asset", "currency", "price", "at"]

    static func prices(in file: Bytes) throws(DaybookError) -> [GivenPrice] {
        var table = CommaSeparated(Text.ofFile(file))
        guard let head = try row(of: &table) else {
            throw wrong(1, "is missing: it names the columns asset, currency, price and at")
        }
        let names = try texts(head)
        var places: [Int] = []
        for column in columns {
            guard names.count(where: { $0 == column }) == 1,
                let place = names.firstIndex(of: column)
            else {
                throw wrong(head.line, "does not name the columns asset, currency, price and at")
            }
            places.append(place)
        }
        var prices: [GivenPrice] = []
        while let row = try row(of: &table) {
            let cells = try texts(row)
            guard cells.count == names.count else {
                throw wrong(row.line, "has \(cells.count) cells and not \(names.count)")
            }
            prices.append(try price(places.map { cells[$0] }, row.line))
        }
        return prices
    }

    private static func price(
        _ cells: [String], _ line: Int
    ) throws(DaybookError) -> GivenPrice {
        guard let time = Timestamp(cells[3]) else {
            throw DaybookError(
                "invalidTime", .usage,
                GivenPrice.placed(Timestamp.complaint(about: cells[3]), line))
        }
        let given = AssetPrice(
            asset: cells[0], currency: cells[1], price: cells[2], time: time)
        do {
            return GivenPrice(try RecordablePrice(given), line: line)
        } catch {
            throw DaybookError(error.code, error.kind, GivenPrice.placed(error.message, line))
        }
    }

    private typealias Row = (line: Int, cells: [Bytes])

    private static func row(of table: inout CommaSeparated) throws(DaybookError) -> Row? {
        do {
            return try table.row()
        } catch {
            throw wrong(error.line, error.reason)
        }
    }

    /// The cells without the spaces around them.
    private static func texts(_ row: Row) throws(DaybookError) -> [String] {
        var texts: [String] = []
        for cell in row.cells {
            guard let text = Text.utf8String(Text.trimmed(cell)) else {
                throw wrong(row.line, "is no text in UTF-8")
            }
            texts.append(text)
        }
        return texts
    }

    private static func wrong(_ line: Int, _ what: String) -> DaybookError {
        DaybookError("invalidPriceFile", .usage, "line \(line) of the file \(what)")
    }
}
