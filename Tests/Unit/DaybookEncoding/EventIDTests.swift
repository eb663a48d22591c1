import DaybookEncoding
import Foundation
import Testing

/// Ids: positions in a log, and what a number from outside can do to them.
struct EventIDTests {
    private static let greatest: UInt64 = 9_007_199_254_740_991

    @Test(arguments: [greatest, greatest + 1, 1 << 62, 1 << 63, .max])
    func `a number that is too large is the greatest one, behind which nothing comes`(
        number: UInt64
    ) {
        expectGreatest(Position(number))
        expectGreatest(RequestID(number))
        expectGreatest(WalletID(number))
        expectGreatest(SessionID(number))
        #expect(Position(number).next == Position(number))
    }

    private func expectGreatest<ID: EventID>(_ id: ID) {
        #expect(id.number == Self.greatest)
        #expect(ID.greatest == Self.greatest)
        #expect(ID(id.position).position.next.number == Self.greatest)
    }

    @Test func `a number from outside that is too large is no id`() throws {
        #expect(Position(exactly: Self.greatest)?.number == Self.greatest)
        #expect(Position(exactly: Self.greatest + 1) == nil)
        #expect(RequestID(exactly: .max) == nil)
        let decoder = JSONDecoder()
        let ids = try decoder.decode([RequestID].self, from: Data("[0,\(Self.greatest)]".utf8))
        #expect(ids.map(\.number) == [0, Self.greatest])
        for text in ["[9007199254740992]", "[18446744073709551615]", "[-1]", "[1.5]"] {
            #expect(throws: DecodingError.self) {
                try decoder.decode([WalletID].self, from: Data(text.utf8))
            }
        }
    }
}
