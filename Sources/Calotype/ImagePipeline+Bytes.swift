internal import CalotypeCache
public import CalotypeCodecs
public import CalotypeCore
internal import CalotypeLoading
public import CalotypeTransforms
public import FoundationEssentials

/// Work on data in memory, such as uploads; nothing is loaded or cached.
extension ImagePipeline {
    /// Decodes and transforms encoded bytes on the pipeline's own threads, in turn with its loads.
    ///
    /// - Parameters:
    ///   - data: The encoded image, which may be untrusted; the limits of the options apply.
    ///   - decoding: The options of the decode.
    ///   - transforms: The transforms to apply.
    ///   - priority: The priority among the pipeline's loads.
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

    /// Encodes an image on the pipeline's own threads, in turn with its loads.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - encoding: The encoding; by default the registry's choice for the image's own format.
    ///   - priority: The priority among the pipeline's loads.
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

    // A scheme, a colon and a comma are a valid URL (RFC 2397).
    private static let bytes = URL(string: "data:,") ?? URL(filePath: "/")
}

/// Encodes in the original format of an image, or in one that can hold the image.
struct OriginalFormatEncoder: ImageEncoder {
    let codecs: CodecRegistry

    /// A placeholder; the format is chosen for each image.
    var format: ImageFormat { ImageFormat(rawValue: "original") }

    /// The number increases when the settings of the standard encoders change.
    var cacheIdentity: String { "original1" }

    func encode(_ image: Image) throws(EncodeError) -> Data { try codecs.encode(image) }

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
