package import DaybookEncoding

/// The one thing that a request asks for.
///
/// Addresses stand as their validated text: what was asked for is what is shown and recorded.
package enum Action: Equatable, Sendable {
    /// Dash, Axe: pay an address. `amount` in duffs; nil when the user is to enter it.
    case pay(address: String, amount: UInt64?, instantSend: InstantSend)
    /// Dash, Axe: hand out an unused receive address of an account.
    case address(account: UInt32)
    /// Dash, Axe: hand out the extended public keys `m/account'` and `m/44'/coin'/account'`.
    case masterPublicKey(account: UInt32)
    /// ICONex Connect: hand out the address of a wallet that the user picks.
    case bind
    /// ICONex Connect `sign`: sign exactly these transaction parameters, send nothing.
    case sign(parameters: JSON)
    /// ICONex Connect `sendICX`: `value` in loop; `data` is put in the transaction as given.
    case sendICX(from: String, to: String, value: UInt256, data: CallData?)
    /// ICONex Connect `sendToken`: IRC-2 `transfer`; `value` in the token's smallest unit.
    case sendToken(from: String, to: String, value: UInt256, contract: String)
    /// Connect's second form: send the caller's own `icx_sendTransaction` parameters.
    case sendTransaction(parameters: JSON)
    /// Dash, Axe: help a payment of ours into a block, or replace it, as its user asks.
    case remedy(Remedy, of: RequestID)

    /// What a request says about InstantSend (`IS`, `req-IS`).
    package enum InstantSend: String, Sendable {
        case unspecified, preferred, required
    }

    /// A transaction's `dataType` and `data`, as the caller gave them.
    package struct CallData: Equatable, Sendable {
        /// `message` or `call`.
        package let type: String
        package let data: JSON

        package init(type: String, data: JSON) {
            self.type = type
            self.data = data
        }
    }

    /// The method's name on the command line and in the log.
    package var method: String {
        switch self {
        case .pay: "pay"
        case .address: "address"
        case .masterPublicKey: "masterPublicKey"
        case .bind: "bind"
        case .sign: "sign"
        case .sendICX: "sendICX"
        case .sendToken: "sendToken"
        case .sendTransaction: "sendTransaction"
        case .remedy(let remedy, _): remedy.rawValue
        }
    }
}

/// What a user can do about a payment that no block has. The names are those of the log.
package enum Remedy: String, Sendable, CaseIterable {
    /// Spend an output of ours that the payment makes, at a fee that pays for both.
    case bump
    /// Spend a coin of the payment to ourselves, so that the network can take only one of both.
    case cancel
}

extension Action {
    /// Whether answering takes a signature of the wallet's key.
    package var makesTransaction: Bool {
        switch self {
        case .pay, .sign, .sendICX, .sendToken, .sendTransaction, .remedy: true
        case .address, .masterPublicKey, .bind: false
        }
    }

    /// Whether it bumps or cancels a payment of ours.
    package var isRemedy: Bool {
        if case .remedy = self { true } else { false }
    }

    /// Whether its transaction names the time of the approval, not one that the caller chose.
    package var takesTimeOfApproval: Bool {
        switch self {
        case .sendICX, .sendToken: true
        default: false
        }
    }
}

extension Request {
    /// Whether the wallet's passphrase answers it, or what its key has signed.
    ///
    /// A wallet that is only watched has no passphrase to ask for before it hands out an address.
    package func needsKey(of wallet: WalletAdded?) -> Bool {
        switch action {
        case .bind: false
        case .address: wallet?.isWatchOnly != true
        default: true
        }
    }
}
