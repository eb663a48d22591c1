/// A chain that Daybook keeps wallets for; the raw value is its name on disk and in commands.
package enum Chain: String, CaseIterable, Hashable, Sendable {
    case dash
    case axe
    case icon
}
