public import CalotypeCodecs
public import FoundationEssentials

/// The encoded bytes of an image, with what their header tells and where they came from.
public struct EncodedImage: Sendable {
    /// The bytes, as the origin sent them.
    public var data: Data

    /// What their header tells: the format, the size, the orientation.
    public var info: ImageInfo

    /// Where they came from; never memory.
    public var source: LoadedImage.Source

    /// Why they could not be kept, where the request waited for that and it failed.
    public var storeFailure: LoadError?

    /// Creates a result.
    public init(
        data: Data,
        info: ImageInfo,
        source: LoadedImage.Source,
        storeFailure: LoadError? = nil
    ) {
        self.data = data
        self.info = info
        self.source = source
        self.storeFailure = storeFailure
    }
}
