import CXXHash

/// The 64-bit XXH3 hash: fast, and good at finding accidental damage; not a defence against a forger.
///
/// Source: `XXH3_64bits` of xxHash 0.8.
package func xxh3(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    unsafe XXH3_64bits(bytes.baseAddress, bytes.count)
}
