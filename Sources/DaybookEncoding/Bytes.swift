/// A run of bytes: what every encoding, digest and row is made of.
package typealias Bytes = [UInt8]
