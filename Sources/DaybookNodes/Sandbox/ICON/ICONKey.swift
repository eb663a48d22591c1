import DaybookChains
import DaybookEncoding

/// The keys of the ICON sandbox's rows.
enum ICONKey {
    static let tip = Bytes("icon/tip".utf8)
    static let switches = Bytes("icon/switches".utf8)
    static let counter = Bytes("icon/counter".utf8)
    static let pool = Bytes("icon/pool/".utf8)

    static func balance(_ holder: ICONAddress) -> Bytes {
        Bytes("icon/balance/\(holder.text)".utf8)
    }

    static func tokens(_ holder: ICONAddress) -> Bytes {
        Bytes("icon/tokens/\(holder.text)".utf8)
    }

    static func pooled(_ number: UInt64) -> Bytes { pool + BigEndian.bytes(number) }

    static func transaction(_ hash: Bytes) -> Bytes { Bytes("icon/transaction/".utf8) + hash }

    static func block(_ height: UInt64) -> Bytes { Bytes("icon/block/".utf8)
            + BigEndian.bytes(height) }
}
