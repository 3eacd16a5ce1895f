import Calotype
import CalotypeCore
import CalotypeLoading
public import FoundationEssentials

/// The image of imgproxy's `watermark` option, for URLs that name no other.
public struct WatermarkImage: Hashable, Sendable {
    /// The maximum pixels of any watermark: 40 MB.
    package static let maxPixelCount = 10_000_000

    /// The maximum bytes of any encoded watermark: 32 MiB.
    static let maxByteCount = 32 << 20

    private enum Place: Hashable {
        /// Bytes, also as a `data:` URL.
        case bytes(Data, URL)
        case file(URL)
        case source(SourceURL)
    }

    private let place: Place

    /// Creates a watermark of encoded bytes.
    public init(data: Data) {
        let url = URL(string: "data:;base64,\(data.base64EncodedString())")
        place = .bytes(data, url ?? URL(filePath: "/dev/null"))
    }

    /// Creates a watermark of a file anywhere on this machine, which is read again when it has changed.
    ///
    /// - Parameter file: An absolute `file:` URL.
    public init(file: URL) { place = .file(file) }

    /// Creates a watermark of a URL like those of images: `http:`, `https:`, or `local:`.
    ///
    /// The source policy is not applied to the URL, only to redirects; the loader checks its address.
    ///
    /// - Throws: ``RequestError`` with `invalidSource`.
    public init(source: String) throws(RequestError) { place = .source(try SourceURL(source)) }

    /// The source, if it is a URL like those of images.
    package var source: SourceURL? {
        if case .source(let source) = place { source } else { nil }
    }

    /// The bytes, if they are configured.
    package var data: Data? {
        if case .bytes(let data, _) = place { data } else { nil }
    }

    package var file: URL? {
        if case .file(let url) = place { url } else { nil }
    }

    private static let files = FileDataLoader()

    /// Returns the request for its bytes.
    fileprivate func request(below localRoot: URL?) -> ImageRequest {
        switch place {
        case .bytes(_, let url):
            var request = ImageRequest(url)
            request.options.loader = NamedValue("", DataURLLoader())
            return request
        case .source(let source): return ImageRequest(source.url(below: localRoot))
        case .file(let url):
            var request = ImageRequest(url)
            request.options.loader = NamedValue("", Self.files)
            return request
        }
    }
}

/// A watermark of a parsed target, with the request for its bytes.
struct TargetWatermark: Sendable {
    let source: WatermarkSource
    let request: ImageRequest
    /// Whether HTTP decides on its freshness.
    let isRemote: Bool

    /// - Throws: ``RequestError`` with `unsupportedOption` if the URL names no image, and none is configured.
    init(_ source: WatermarkSource, _ configuration: ImageService.Configuration) throws(RequestError) {
        self.source = source
        var request: ImageRequest
        let url: SourceURL?
        if let named = source.url {
            request = ImageRequest(named.url(below: configuration.localRoot))
            url = named
        } else {
            guard let image = configuration.watermark else {
                throw RequestError(
                    .unsupportedOption,
                    option: "watermark",
                    detail: "no watermark is configured; set watermark-path, watermark-url or watermark-data"
                )
            }
            request = image.request(below: configuration.localRoot)
            url = image.source
        }
        isRemote = url.map { $0.scheme != "local" } ?? false
        request.decoding.limits = configuration.limits
        request.decoding.limits.maxPixelCount = min(
            configuration.limits.maxPixelCount,
            WatermarkImage.maxPixelCount
        )
        request.decoding.limits.maxByteCount = min(
            configuration.limits.maxByteCount,
            WatermarkImage.maxByteCount
        )
        request.httpCaching = .respectsHTTP
        request.timeout = configuration.timeout
        self.request = request
    }

    /// The options of the decode.
    var decoding: DecodeOptions {
        var decoding = request.decoding
        decoding.frames = .first
        decoding.scale = 1
        return decoding
    }

    /// Checks bytes that a request with other limits may have loaded.
    ///
    /// - Throws: `LoadError` with `limitExceeded`.
    func check(_ original: EncodedImage) throws(LoadError) {
        let (limits, info) = (request.decoding.limits, original.info)
        do {
            try limits.checkInput(original.data, format: info.format)
            try limits.checkSize(info.size, format: info.format)
        } catch {
            throw LoadError(stage: .decode, underlying: error)
        }
    }
}
