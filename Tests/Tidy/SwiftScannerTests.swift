import Testing

struct SwiftScannerTests {
    @Test(arguments: [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */ d */ e", "a                   e"),
        ("a \"b\" c", "a     c"),
        (#"a "\"b" c"#, "a       c"),
        (#"a "\(b("c"))d" e"#, #"a   (b(   ))   e"#),
        ("a #\"b\"c\"# d", "a         d"),
        (##"a #"\(b)\#(c)"# d"##, "a         (c)   d"),
        ("a \"\"\"\nb \"c\"\n\"\"\" d", "a    \n     \n    d"),
        ("a /* \"b */ c", "a          c"),
        ("a \"// b\" c", "a        c"),
        ("#if a\n#expect(\"b\")", "#if a\n#expect(   )"),
    ])
    func `comments and strings are blanked, code and what strings interpolate stay`(
        text: String, code: String
    ) {
        #expect(SwiftScanner.code(of: text) == code)
    }
}
