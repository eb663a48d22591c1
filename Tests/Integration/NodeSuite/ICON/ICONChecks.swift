import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The checks that every client of an ICON network must pass.
package enum ICONChecks {
    /// All of them; each uses keys that nobody had before.
    package static func all<Driver: ICONDriver>(_: Driver.Type) -> [Check<Driver>] {
        let parts: [[Check<Driver>]] = [
            looking(), executing(), calling(), sending(), refusing(), batching(),
        ]
        return parts.flatMap(\.self)
    }

    /// One ICX, in loop.
    static let icx = UInt256(1_000_000_000_000_000_000)

    /// Somebody with one ICX.
    static func funded(_ driver: some ICONDriver) async throws -> Account {
        let account = try Account()
        try await driver.pay(account.address, loop: icx)
        return account
    }

    /// The fees that the network demands.
    static func fees(_ driver: some ICONDriver) async throws -> ICONFees {
        try require(try await driver.look().iconFees, "the answer has no steps")
    }

    static func loop(_ steps: UInt64, _ price: UInt256) throws -> UInt256 {
        try require(UInt256(steps).multiplied(by: price), "the fee is no number")
    }

    /// One ICX less some amounts.
    static func rest(_ amounts: UInt256...) throws -> UInt256 {
        var rest = icx
        for amount in amounts {
            rest = try require(rest.subtracting(amount), "more is gone than there was")
        }
        return rest
    }
}
