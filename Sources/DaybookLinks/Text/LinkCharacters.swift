/// A set of characters: those that may stand raw in a part of a link, or that a value is made of.
struct LinkCharacters {
    /// For each byte whether it is in the set; a table, for every byte of a link is looked up.
    private let isMember: [Bool]

    /// Letters and digits without some, and others beside them.
    private init(alphanumericsWithout excluded: String = "", and others: String) {
        var isMember = [Bool](repeating: false, count: 256)
        let ranges: [ClosedRange<Unicode.Scalar>] = ["a"..."z", "A"..."Z", "0"..."9"]
        for range in ranges {
            for value in range.lowerBound.value...range.upperBound.value {
                isMember[Int(value)] = true
            }
        }
        for byte in excluded.utf8 { isMember[Int(byte)] = false }
        for byte in others.utf8 { isMember[Int(byte)] = true }
        self.isMember = isMember
    }

    /// In a wallet link nothing that could end the part or name a host, port or user.
    static let walletLink = LinkCharacters(and: "-._~%+!$'()*,;&=")

    /// In a query whatever RFC 3986 (3.4) allows there.
    static let query = LinkCharacters(and: "-._~%+!$'()*,;&=:@/?")

    /// Unreserved characters and slashes: what is kept of a return address.
    static let path = LinkCharacters(and: "-._~/")

    /// What an encoded value is made of, be it percent escapes, base64 or hexadecimal.
    static let encoded = LinkCharacters(and: "%+/-_")

    /// The digits of base58, which are those that no reader takes for one another.
    static let base58 = LinkCharacters(alphanumericsWithout: "0OIl", and: "")

    /// The digits of base64 but for the slash, which also stands before a path.
    static let base64 = LinkCharacters(and: "+")

    func admit(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy(admits)
    }

    func admits(_ byte: UInt8) -> Bool { isMember[Int(byte)] }
}
