/// A secret and its range in the bytes that were searched.
struct FoundSecret {
    let kind: SecretKind
    let range: Range<Int>
}
