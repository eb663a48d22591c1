import DaybookChains
import DaybookEncoding
import Testing

struct ScriptTests {
    private let hash = Bytes(repeating: 9, count: 20)

    @Test func `standard scripts are recognised and written back`() {
        let key = [2] + Bytes(repeating: 5, count: 32)
        let scripts: [Script] = [
            .p2pkh(hash), .p2sh(hash), .p2pk(key), .p2pk([4] + Bytes(repeating: 5, count: 64)),
            .data([0x6a]), .data([0x6a, 2, 1, 1]), .data([0x6a, 0x51, 0x4c, 1, 0xff]),
        ]
        for script in scripts {
            #expect(Script(script.bytes) == script)
        }
    }

    @Test func `anything else is kept as it is`() {
        let others: [Bytes] = [
            [], [0x00, 0x14] + hash, [0x6a, 2, 1], Bytes(Script.p2pkh(hash).bytes.dropLast()),
            Script.p2pkh(hash).bytes + [0], [0x21, 5] + Bytes(repeating: 5, count: 32) + [0xac],
            [0x6a, 0xac],
        ]
        for bytes in others {
            #expect(Script(bytes) == .other(bytes))
            #expect(Script(bytes).bytes == bytes)
        }
    }

    @Test func `data is pushed with the shortest opcode and read back`() {
        for count in [0, 1, 75, 76, 255, 256, 520] {
            let data = Bytes(repeating: 0xab, count: count)
            let script = Script.pushing([data, [1]])
            #expect(Script.pushes(script) == [data, [1]])
            let overhead = count < 76 ? 1 : count < 256 ? 2 : 3
            #expect(script.count == count + overhead + 2)
        }
        #expect(Script.pushes([0xac] as Bytes) == nil)
        #expect(Script.pushes([2, 1] as Bytes) == nil)
        #expect(Script.pushes([0x4d, 1] as Bytes) == nil)
    }
}
