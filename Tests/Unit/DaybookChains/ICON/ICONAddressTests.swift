import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

struct ICONAddressTests {
    @Test func `public keys have the vectors' addresses`() throws {
        let vectors = try ICONVectors.list("addresses")
        #expect(vectors.count == 7)
        for vector in vectors {
            let bytes = try #require(Hex.decode(vector.text(at: "publicKeyCompressed")))
            let key = try #require(PublicKey(bytes))
            #expect(ICONAddress(key).text == vector.text(at: "address"))
        }
    }

    @Test func `an address is read and written in one form`() throws {
        let text = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"
        let address = try #require(ICONAddress(text))
        #expect(address.kind == .contract)
        #expect(address.text == text)
        #expect(ICONAddress.system.text == "cx" + String(repeating: "0", count: 40))
    }

    @Test(arguments: [
        "", "hx", "hx123", "0x5af01bb8ee97c06fa8a681faefc4158bd8a99428",
        "hx5AF01BB8EE97C06FA8A681FAEFC4158BD8A99428", "HX5af01bb8ee97c06fa8a681faefc4158bd8a99428",
        "hx5af01bb8ee97c06fa8a681faefc4158bd8a9942", "hx5af01bb8ee97c06fa8a681faefc4158bd8a994288",
        " hx5af01bb8ee97c06fa8a681faefc4158bd8a99428",
        "hx5af01bb8ee97c06fa8a681faefc4158bd8a9942\n",
        "hxｆaf01bb8ee97c06fa8a681faefc4158bd8a994",
    ]) func `other spellings are no address`(text: String) {
        #expect(ICONAddress(text) == nil)
    }
}
