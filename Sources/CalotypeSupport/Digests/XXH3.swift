import CXXHash

/// The 64-bit XXH3 hash: fast, and good at detecting accidental damage; no protection against forgery.
///
/// Source: `XXH3_64bits` of xxHash 0.8, with the widest vectors that the processor has.
package func xxh3(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    unsafe calotype_xxh3(bytes.baseAddress, bytes.count)
}
