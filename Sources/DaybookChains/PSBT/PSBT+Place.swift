import DaybookEncoding

extension PSBT {
    /// The chain and network that the transaction is for, where a field of ours names them.
    ///
    /// Dash and Axe have the same transactions and, for wallets of the same words, the same keys:
    /// nothing else in a PSBT tells them apart. Other programs keep the field and do not read it.
    package func place() throws(PSBTError) -> (chain: Chain, network: Network)? {
        guard let field = global.fields.first(where: { $0.key == Self.placeKey }) else {
            return nil
        }
        let parts = Text.utf8String(field.value)?.split(
            separator: "/", omittingEmptySubsequences: false)
        guard let parts, parts.count == 2, let chain = Chain(rawValue: String(parts[0])),
            let network = Network(rawValue: String(parts[1]))
        else { throw PSBTError(.place, .whole) }
        return (chain, network)
    }

    /// Names the chain and network that the transaction is for.
    package mutating func setPlace(_ chain: Chain, _ network: Network) {
        global.set(
            Self.placeKey[0], data: Bytes(Self.placeKey.dropFirst()),
            to: Bytes("\(chain.rawValue)/\(network.rawValue)".utf8))
    }

    /// BIP 174's type for proprietary use, the length of a name, the name, and a type of ours.
    private static let placeKey: Bytes = [0xfc, 7] + Bytes("daybook".utf8) + [0]
}
