public import CalotypeCodecs
public import CalotypeCore
public import CalotypeLoading
public import FoundationEssentials

/// Options that few requests need: keys, components and rules of their own, methods other than GET.
///
/// Options that change pixels, or the access to them, are part of the keys that a request is cached by, with
/// their value or the component's name.
public struct RequestOptions: Hashable, Sendable {
    /// The text that replaces the URL in keys; the URL unless set.
    ///
    /// Requests with the same text share an entry in memory and in the stores, whatever their URLs. The other
    /// parts of keys remain: header fields and the variant.
    public var sourceKey: String?

    /// The method; `GET` unless set.
    ///
    /// A request that is not a plain GET has the method in its keys, is never revalidated by HTTP's rules,
    /// and is retried only by a ``retryRule``.
    public var method = "GET"

    /// The body of the request; none unless set.
    ///
    /// Setting it changes a ``method`` of `GET` to `POST`. The body is never sent to another origin: neither
    /// after a redirect, nor to an alternative there, which is skipped.
    public var body: Data? {
        didSet {
            bodyDigest = body.map(\.keyDigest)
            if body != nil, method == "GET" { method = "POST" }
        }
    }

    /// The loader of the bytes, in place of the pipeline's; shut down by its owner.
    ///
    /// An empty name means that its responses are those of the pipeline's loader, or that ``sourceKey``
    /// identifies them.
    public var loader: NamedValue<any DataLoader>?

    /// The codecs, in place of the cache's.
    public var codecs: NamedValue<CodecRegistry>?

    /// The serializer, in place of the pipeline's.
    public var serializer: NamedValue<any CacheSerializer>?

    /// Changes the image when it is delivered; cached and shared images are not changed.
    ///
    /// It is called for each result on the caller's task, also for images in memory, so it must be quick. Use
    /// a transform for anything that takes longer.
    public var modifier: NamedValue<@Sendable (Image) -> Image>?

    /// The rule for retries, in place of the loader's own policy.
    public var retryRule: NamedValue<any RetryRule>?

    /// The check of redirect targets, in addition to the loader's; all pass unless set.
    public var permitsRedirect: NamedValue<@Sendable (URL) -> Bool>?

    /// True to accept an image in memory that is larger than the target; false unless set.
    ///
    /// For requests with a target and no transforms. ``LoadedImage/isLarger`` marks such an image, and it is
    /// not cached as the requested one.
    public var acceptsLargerImage = false

    /// True to begin the events of a load with the thumbnail in the file, as soon as it has arrived; false
    /// unless set.
    ///
    /// Cameras write one into JPEG, HEIC and TIFF, usually within the first kilobytes, and previews into
    /// raws. It is an ``ImageEvent/preview(_:)`` in a size of its own, smaller than the image, and is not
    /// cached. Later previews cover the whole picture, never only its upper rows. For requests without
    /// transforms; among those that share a load, the first decides.
    public var previewsThumbnail = false

    /// Computed when the body is set, because keys are needed more often.
    private(set) var bodyDigest: String?

    /// Creates options without values; each default is stated at its property.
    public init() {}
}

extension RequestOptions {
    /// The options, beside the URL and the fields, that determine the bytes and the access to them.
    var sourceParts: [String] {
        var parts: [String] = []
        // No header field name contains a colon.
        if method != "GET" || body != nil { parts += [":method", method, bodyDigest ?? ""] }
        if let name = loader?.name, !name.isEmpty { parts += [":loader", name] }
        if let name = serializer?.name, !name.isEmpty { parts += [":serializer", name] }
        return parts
    }

    /// True if the source is determined by the URL and the header fields alone.
    var leavesSource: Bool { sourceKey == nil && sourceParts.isEmpty && loader == nil }

    /// The options of a load that keys do not contain; loads that differ in them are not shared.
    var fetchParts: [String] {
        [loader?.name, codecs?.name, retryRule?.name, permitsRedirect?.name].map { $0 ?? "" }
    }
}

/// Options on the heap, because few requests have them.
final class OptionsBox: Hashable, Sendable {
    let options: RequestOptions

    init(_ options: RequestOptions) {
        self.options = options
    }

    static func == (left: OptionsBox, right: OptionsBox) -> Bool { left.options == right.options }

    func hash(into hasher: inout Hasher) {
        hasher.combine(options)
    }
}

extension ImageRequest {
    /// Options that few requests need; empty unless set.
    public var options: RequestOptions {
        get { optionsBox?.options ?? RequestOptions() }
        set { optionsBox = newValue == RequestOptions() ? nil : OptionsBox(newValue) }
    }

    /// Returns the image as it is delivered.
    func modified(_ image: Image) -> Image {
        optionsBox?.options.modifier?.value(image) ?? image
    }

    /// Returns the result as it is delivered.
    func modified(_ loaded: LoadedImage) -> LoadedImage {
        guard optionsBox != nil else { return loaded }
        var handedOver = loaded
        handedOver.image = modified(loaded.image)
        return handedOver
    }

    /// Creates a request for bytes from a closure, such as those of a database, an archive or a camera.
    ///
    /// They are cached like all others; `original: .none` in the ``cachePolicy`` keeps them out of the
    /// stores. Unless a cache has the image, its source is ``LoadedImage/Source/data``.
    ///
    /// - Parameters:
    ///   - key: The text that represents the bytes in keys; other bytes need another one.
    ///   - bytes: Returns an encoded image; called on any thread if no cache has it.
    public init(key: String, bytes: @escaping @Sendable () async throws -> Data) {
        // The digits of a digest are valid in a URL.
        self.init(url: URL(string: "bytes:\(Data(key.utf8).keyDigest)") ?? Self.nowhere)
        options.sourceKey = key
        options.loader = NamedValue("", BytesLoader(bytes: bytes))
    }
}

private struct BytesLoader: DataLoader {
    let bytes: @Sendable () async throws -> Data

    func response(for request: FetchRequest) async throws -> FetchResponse {
        let data = try await bytes()
        guard data.count <= request.maxByteCount else {
            throw FetchError(
                .bodyTooLarge,
                detail: "\(data.count) bytes received, the limit is \(request.maxByteCount)"
            )
        }
        return FetchResponse(
            origin: .inline,
            url: request.url,
            expectedByteCount: data.count,
            body: FetchBody(data)
        )
    }
}
