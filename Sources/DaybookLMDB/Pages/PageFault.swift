/// A page of an environment's file that is not what LMDB would have written.
package struct PageFault: Error, Equatable, Sendable {
    /// The table that the page belongs to; `main` has the tables, `free` the free pages.
    package let table: String
    /// The page's number.
    package let page: UInt64
    /// What is wrong, in lower case.
    package let reason: String
}
