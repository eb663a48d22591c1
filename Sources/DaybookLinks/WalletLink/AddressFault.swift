import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension UTXOAddress {
    /// The fault of a text that is no address of a chain, with its remedy, in lower case.
    ///
    /// It contains nothing of the text. People paste three texts instead of an address: the address
    /// of another coin, one whose case was lost, and a payment link without its question mark.
    static func fault(of text: String, on chain: Chain) -> String {
        let bytes = Bytes(text.utf8)
        let letters = bytes.filter { ($0 | 0x20) >= UInt8(ascii: "a") && $0 < 0x80 }
        if bytes.isEmpty { return "there is none" }
        if bytes.contains(UInt8(ascii: "=")) || bytes.contains(UInt8(ascii: "&")) {
            return "after the address, '?' begins the first key and '&' only the next ones"
        }
        if ["bc1", "tb1", "bcrt1", "ltc1"].contains(where: text.lowercased().hasPrefix) {
            return "it is a Bech32 address, which this coin does not have"
        }
        if bytes.count > 20, letters.allSatisfy({ $0 & 0x20 != 0 }) {
            return "all its letters are in lower case, so that it has lost some: copy it again"
        }
        if bytes.count > 20, letters.allSatisfy({ $0 & 0x20 == 0 }) {
            return "all its letters are in upper case, so that it has lost some: copy it again"
        }
        guard LinkCharacters.base58.admit(bytes[...]) else {
            return "it has a character that no address has: copy it again"
        }
        guard let payload = Base58Check.decode(text) else {
            if bytes.count < 26 { return "it is too short: copy it again" }
            if bytes.count > 35 { return "it is too long: copy it again" }
            return "its checksum is wrong, so that a character is wrong or missing: copy it again"
        }
        guard payload.count == 21 else { return "it is no address" }
        let other = Chain.allCases.first { $0 != chain && UTXOAddress(text, chain: $0) != nil }
        return "it is an address of \(other?.rawValue ?? "another coin")"
    }
}
