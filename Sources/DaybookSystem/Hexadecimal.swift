/// Random names for temporary files.
enum Hexadecimal {
    static func random(bytes count: Int) throws(SystemError) -> String {
        try Entropy.bytes(count).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
