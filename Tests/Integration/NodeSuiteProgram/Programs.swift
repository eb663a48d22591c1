import DaybookSystem

/// The programs that were built with this one.
enum Programs {
    /// The folder that they are in.
    static func folder() throws -> String {
        Files.parent(of: try Files.resolved("/proc/self/exe"))
    }
}
