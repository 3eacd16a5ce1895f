public import CalotypeTransforms

/// One of several results from the same image: its transforms and its encoding.
public struct ImageVariant: Hashable, Sendable {
    /// The maximum number of variants per call.
    public static let maxCount = 100

    /// The transforms, in the order of application.
    public var transforms: TransformChain

    /// The encoding; `nil` for the format of the original, or for one that can hold the result.
    public var encoding: ImageEncoding?

    /// Creates a variant.
    ///
    /// - Parameters:
    ///   - transforms: The transforms; none unless given.
    ///   - encoding: The encoding; the format of the original unless given.
    public init(_ transforms: TransformChain = [], as encoding: ImageEncoding? = nil) {
        self.transforms = transforms
        self.encoding = encoding
    }
}
