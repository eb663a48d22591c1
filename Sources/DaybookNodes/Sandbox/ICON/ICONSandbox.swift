package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A small ICON network in rows: it checks what a node checks and mines when it is told to.
///
/// It has nid 0x3, so that nothing signed for it is valid on the main network. It knows no clock:
/// times come with the calls, in microseconds since 1970. The same calls give the same rows.
package struct ICONSandbox {
    /// Where all of its state is.
    package var rows: any Rows

    /// The network in some rows; empty rows are the network at its beginning.
    package init(_ rows: any Rows) {
        self.rows = rows
    }

    /// The network's id.
    package static let nid: UInt64 = 3
    /// What a step costs, in loop.
    package static let stepPrice = UInt256(12_500_000_000)
    /// What work costs.
    package static let steps = ICONSteps(default: 100_000, input: 200, contractCall: 25_000)
    /// The most steps that one transaction can use.
    package static let maximumSteps: UInt64 = 2_500_000_000
    /// How far a transaction's time may lie from now, in microseconds.
    package static let timestampThreshold: UInt64 = 300_000_000

    /// The account that has all ICX and tokens at the beginning; its key is public knowledge.
    package static let faucet = ICONAddress(faucetKey().publicKey)
    /// All loop there is.
    package static let supply = constant(UInt256(hex: "2961fff8ca4a62327800000"))
    /// The contract of the token that is there from the beginning.
    package static let token = constant(ICONAddress("cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"))
    /// All of the token's smallest units there are: a thousand million tokens.
    package static let tokenSupply = constant(UInt256(decimal: "1" + zeros(27)))
    /// The token's name.
    package static let tokenName = "Sandbox Token"
    /// The token's symbol.
    package static let tokenSymbol = "SBX"
    /// How many decimals the token has.
    package static let tokenDecimals = 18

    static func faucetKey() -> PrivateKey {
        let digits = "592eb276d534e2c41a2d9356c0ab262dc233d87e4dd71ce705ec130a8d27ff0c"
        guard let key = PrivateKey(SecretBytes(copying: constant(Hex.decode(digits)))) else {
            preconditionFailure("the faucet's key is a constant below the group's order")
        }
        return key
    }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    private static func constant<Value>(_ value: Value?) -> Value {
        guard let value else {
            preconditionFailure("the constants of this file are well-formed, and tests read each")
        }
        return value
    }
}
