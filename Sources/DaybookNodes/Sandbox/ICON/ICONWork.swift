import DaybookChains
import DaybookEncoding

/// The part of a transaction that execution looks at; an estimation has no more than this.
struct ICONWork {
    let from: ICONAddress
    let to: ICONAddress
    let value: UInt256
    let type: ICONDataType?
    let data: JSON?
    let dataSize: Int

    /// The work that well-formed params ask for; nil for another version than 3.
    init?(_ params: JSON) {
        guard params["version"]?.stringValue == "0x3",
            let from = params["from"]?.stringValue.flatMap({ ICONAddress($0) }),
            let to = params["to"]?.stringValue.flatMap({ ICONAddress($0) }),
            let value = ICONInteger.parse(params["value"]?.stringValue ?? "0x0")
        else { return nil }
        self.from = from
        self.to = to
        self.value = value
        type = params["dataType"]?.stringValue.flatMap { ICONDataType(rawValue: $0) }
        data = params["data"]
        dataSize = ICONSteps.dataSize(of: params)
    }
}
