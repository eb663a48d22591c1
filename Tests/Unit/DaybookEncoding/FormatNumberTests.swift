import DaybookEncoding
import Testing

struct FormatNumberTests {
    private func refusal(_ format: FormatNumber, _ number: UInt64) -> FormatNumberError? {
        do {
            try format.check(number)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: FormatNumber.all)
    func `numbers from the first release to the present one are known`(format: FormatNumber) {
        #expect(format.current >= FormatNumber.firstReleased)
        for number in FormatNumber.firstReleased...format.current {
            #expect(refusal(format, number) == nil)
        }
        for number in [0, 1, 9] as [UInt64] {
            let refusal = refusal(format, number)
            #expect(refusal?.isOfDevelopment == true && refusal?.found == number)
            let text = "\(format.name) \(number) was written by a development version before 1.0; "
            #expect(refusal?.description.hasPrefix(text) == true)
        }
        for number in [format.current + 1, .max] {
            let text = "\(format.name) \(number) is newer than \(format.current), the last one "
                + "known; use the program that wrote it"
            #expect(refusal(format, number)?.description == text)
            #expect(refusal(format, number)?.isOfDevelopment == false)
        }
    }

    @Test func `a later program knows the numbers before its own`() {
        var later = FormatNumber.export
        later.current = 12
        #expect(refusal(later, 9) != nil && refusal(later, 13) != nil)
        for number in 10...12 as ClosedRange<UInt64> { #expect(refusal(later, number) == nil) }
    }

    @Test func `each format has a name of its own`() {
        #expect(Set(FormatNumber.all.map(\.name)).count == FormatNumber.all.count)
    }
}
