internal import CLMDB

/// The version of the LMDB library that is linked, for `session.started`.
package enum LMDBVersion {
    /// For example `0.9.24`.
    package static var text: String {
        var major: Int32 = 0
        var minor: Int32 = 0
        var patch: Int32 = 0
        _ = unsafe mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }
}
