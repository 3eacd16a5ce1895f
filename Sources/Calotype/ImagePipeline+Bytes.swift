internal import CalotypeCache
public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeLoading
public import CalotypeTransforms
public import FoundationEssentials

/// Bytes at hand, such as an upload: nothing is loaded, and nothing is kept.
extension ImagePipeline {
    /// The image that bytes hold, decoded and transformed on the pipeline's own threads, in turn with its
    /// loads.
    ///
    /// - Parameters:
    ///   - data: An encoded image, from wherever it comes; the limits of the options hold.
    ///   - decoding: How it is decoded.
    ///   - transforms: What is made of it.
    ///   - priority: How urgent it is.
    /// - Returns: The image.
    /// - Throws: ``LoadError`` of the stages `decode` and `transform`, or `CancellationError`.
    public func image(
        from data: Data,
        decoding: DecodeOptions = DecodeOptions(),
        transforms: TransformChain = [],
        priority: LoadPriority = .normal
    ) async throws -> Image {
        let request = ImageRequest(ofBytes: data, decoding, transforms)
        return try await observed(request, source: { _ in .data }) {
            try request.validateTransforms()
            let live = LivePriority(priority)
            let decoded = try await decode(data, DecodeRecipe(request), request, live)
            return try await transform(decoded, request, live)
        }
    }

    /// The bytes of an image, encoded on the pipeline's own threads, in turn with its loads.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - encoding: How; by the registry's rule for the image's own format unless given.
    ///   - priority: How urgent it is.
    /// - Returns: The encoded image.
    /// - Throws: ``LoadError`` of the stage `encode`, or `CancellationError`.
    public func encode(
        _ image: Image,
        as encoding: ImageEncoding? = nil,
        priority: LoadPriority = .normal
    ) async throws -> Data {
        let request = ImageRequest(of: image)
        let encoder = encoding?.encoder ?? OriginalFormatEncoder(codecs: codecPool.codecs)
        return try await observed(request, source: { _ in .data }) {
            try await encode(image, as: encoder, request, LivePriority(priority))
        }
    }
}

extension ImageRequest {
    /// The request that observers see for work on bytes without a URL.
    init(ofBytes data: Data, _ decoding: DecodeOptions, _ transforms: TransformChain) {
        self.init(url: Self.bytes, decoding: decoding, transforms: transforms)
        let format = ImageFormat(sniffing: data)
        bytesAtHand = "\(data.count) bytes of \(format.map { "\($0)" } ?? "an unknown format")"
    }

    /// The request that observers see for work on an image without a URL.
    init(of image: Image, _ transforms: TransformChain = []) {
        self.init(url: Self.bytes, transforms: transforms)
        bytesAtHand = "an image of \(image.size)"
    }

    // A scheme, a colon and a comma are a URL (RFC 2397).
    private static let bytes = URL(string: "data:,") ?? URL(filePath: "/")
}

/// Encodes in the format that an image came in, or in one that can hold it.
struct OriginalFormatEncoder: ImageEncoder {
    let codecs: CodecRegistry

    /// Decided for each image.
    var format: ImageFormat { ImageFormat(rawValue: "original") }

    /// Its number goes up where the standard encoders' settings change.
    var cacheIdentity: String { "original1" }

    func encode(_ image: Image) throws(EncodeError) -> Data { try codecs.encode(image) }

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
