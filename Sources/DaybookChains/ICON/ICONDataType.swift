/// What a transaction's `data` is.
package enum ICONDataType: String, Hashable, Sendable {
    case call
    case deploy
    case message
    case deposit
}
