import DaybookEncoding
import Foundation
import Testing

/// Amounts in minor units and moments: their texts, their order, and what is none.
struct QuantityTests {
    @Test func `an amount in whole coins and in minor units is the same one`() {
        let amount = MinorAmount(coins: "1.5", decimals: 8)
        #expect(amount == 150_000_000 && amount == MinorAmount("150000000"))
        #expect(amount?.inCoins(decimals: 8) == "1.5" && amount?.description == "150000000")
        #expect(MinorAmount("-150000226")?.inCoins(decimals: 8) == "-1.50000226")
        #expect(MinorAmount("-0") == .zero && MinorAmount("-0")?.description == "0")
        #expect(UInt64(exactly: MinorAmount(7)) == 7)
        #expect(MinorAmount("-7").flatMap { UInt64(exactly: $0) } == nil)
        #expect(MinorAmount("18446744073709551616").flatMap { UInt64(exactly: $0) } == nil)
    }

    @Test(arguments: ["", "-", "1.5", "+1", " 1", "--1", "1e3", String(repeating: "9", count: 78)])
    func `a text that is no whole number of units is no amount`(text: String) {
        #expect(MinorAmount(text) == nil)
        let json = Data("[\"\(text)\"]".utf8)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([MinorAmount].self, from: json)
        }
    }

    @Test(arguments: ["", "-1", "1.123456789", "1,5", "x"])
    func `a text that is no amount of an asset's coins is none`(text: String) {
        #expect(MinorAmount(coins: text, decimals: 8) == nil)
    }

    @Test func `amounts are ordered by their values`() {
        let texts = ["-10000000000000000000000", "-2", "-1", "0", "1", "2", "30000000000000000000"]
        let amounts = texts.compactMap { MinorAmount($0) }
        #expect(amounts.count == texts.count && amounts.shuffled().sorted() == amounts)
    }

    @Test func `quantities are coded as text and as number`() throws {
        let amounts = try JSONEncoder().encode([MinorAmount(5), .zero])
        #expect(String(decoding: amounts, as: UTF8.self) == #"["5","0"]"#)
        #expect(try JSONDecoder().decode([MinorAmount].self, from: amounts) == [5, 0])
        let times = try JSONEncoder().encode([Timestamp(microseconds: 5)])
        #expect(String(decoding: times, as: UTF8.self) == "[5]")
        #expect(try JSONDecoder().decode([Timestamp].self, from: times)[0].microseconds == 5)
    }

    @Test func `a moment is read from its text, and later ones are greater`() throws {
        let noon = try #require(Timestamp("2026-01-31T12:00:00.000001Z"))
        #expect(noon.microseconds == 1_769_860_800_000_001)
        #expect(noon.description == "2026-01-31T12:00:00.000001Z")
        #expect(try #require(Timestamp("2026-01-31")) < noon)
        #expect(Timestamp("31.1.2026") == nil)
    }
}
