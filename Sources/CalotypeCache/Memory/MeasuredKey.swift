/// A key whose own memory may be most of an entry.
@usableFromInline
protocol MeasuredKey {
    /// The memory of the key, in bytes.
    var byteCount: Int { get }
}
