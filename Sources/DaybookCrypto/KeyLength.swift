/// How long a derived key may be.
enum KeyLength {
    static let maximum = 128
}
