package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A small Dash or Axe chain in rows: it checks what a node checks and mines when it is told to.
///
/// It knows no clock: times come with the calls, in microseconds since 1970. The same calls give
/// the same rows, ids and block hashes. What it leaves out: proof of work (a block's hash is the
/// double SHA-256 of its header, where the nodes use X11), scripts other than those that pay to a
/// key or its hash, special transactions, relative lock times and signature operation counts.
///
/// With the parameters of `Network.sandbox` it begins with a faucet that has mature coins; with
/// those of `Network.regtest` it begins as empty as a node's own regression test network, whose
/// coinbase transactions it then makes bit by bit, so that recorded sessions can be compared.
package struct UTXOSandbox {
    /// Where all of its state is.
    package var rows: any Rows
    /// Which chain this is.
    package let parameters: UTXOParameters

    /// The chain in some rows; rows without any of its own are the chain at its beginning.
    package init(_ rows: any Rows, _ parameters: UTXOParameters) {
        self.rows = rows
        self.parameters = parameters
        keys = UTXOKeys(parameters.chain)
        genesis = .of(parameters)
    }

    /// What a block pays its miner beside the fees, in duffs: 500 coins, as regtest to height 150.
    package static let subsidy = 500 * Duffs.perCoin

    /// The rate that the chain asks for, in duffs for 1000 bytes.
    package static let feeRatePerKilobyte = RelayPolicy.minimumFeePerKilobyte

    let keys: UTXOKeys
    let genesis: UTXOGenesis
}
