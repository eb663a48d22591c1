package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A transaction that another machine is to sign, as the file that travels there and back.
///
/// For Dash and Axe the file is a PSBT with the whole previous transactions, which Dash Core reads
/// and writes as well; for ICON it is JSON. Nothing in it is believed: the machine with the key
/// computes the terms from the transaction, and signs under these.
package enum SigningRequest: Equatable, Sendable {
    /// A payment on Dash or Axe.
    case payment(PSBT)
    /// A transaction on ICON.
    case icon(ICONSigningRequest)

    /// Reads a file's content: a PSBT in bytes or base 64, or JSON.
    package init(file content: Bytes) throws(SigningRequestError) {
        if content.first(where: { !Self.blanks.contains($0) }) == UInt8(ascii: "{") {
            self = .icon(try ICONSigningRequest(file: content))
            return
        }
        do throws(PSBTError) {
            self = .payment(try PSBT(file: content))
        } catch {
            throw .psbt(error)
        }
    }

    /// The file's content: text in both forms.
    package var file: Bytes {
        switch self {
        case .payment(let psbt): Bytes((psbt.base64 + "\n").utf8)
        case .icon(let request): request.file
        }
    }

    /// The chain and network that the file names; nil of a PSBT that names none.
    package func place() throws(SigningRequestError) -> (chain: Chain, network: Network)? {
        switch self {
        case .icon(let request): return (.icon, request.network)
        case .payment(let psbt):
            do throws(PSBTError) {
                return try psbt.place()
            } catch {
                throw .psbt(error)
            }
        }
    }

    private static let blanks = Bytes(" \t\r\n".utf8)
}

/// Why a file is no signing request, or none that can be signed.
package enum SigningRequestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A PSBT that can't be read, or lacks what a signer needs.
    case psbt(PSBTError)
    /// The JSON is none, or not that of a signing request.
    case json(String)
    /// The parameters of an ICON transaction are not those of one.
    case parameter(String)
    /// The file is for another chain, network or key than the wallet's.
    case otherWallet
    /// An input is not said to be of a key of the wallet, or is not of it.
    case foreignInput(Int)
    /// The transaction has no recipient, or more than one.
    case recipients(Int)
    /// An output pays to a script that has no address.
    case noAddress(output: Int)

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .psbt(let error): error.description
        case .json(let reason): "it is no signing request: \(reason)"
        case .parameter(let name): "the parameter \(name) has no place in a transaction"
        case .otherWallet: "it is for another wallet"
        case .foreignInput(let input): "input \(input) spends a coin of another wallet"
        case .recipients(let count): "it pays \(count) others, not one"
        case .noAddress(let output): "output \(output) pays to a script without an address"
        }
    }
}
