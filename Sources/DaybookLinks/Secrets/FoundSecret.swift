/// A secret, and where it stands in the bytes that were searched.
struct FoundSecret {
    let kind: SecretKind
    let range: Range<Int>
}
