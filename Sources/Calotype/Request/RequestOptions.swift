public import CalotypeCodecs
public import CalotypeCore
public import CalotypeLoading
public import FoundationEssentials

/// What few requests need: a key, parts or rules of their own, another method than GET.
///
/// What changes pixels, or who may have them, is part of the keys that a request is cached by, in its own
/// words or by the name of the part.
public struct RequestOptions: Hashable, Sendable {
    /// What stands for the URL in keys; the URL unless set.
    ///
    /// Requests of one key share an entry in memory and in the stores, whatever their URLs. All else that
    /// belongs into keys stays there: header fields, what is made of the image.
    public var sourceKey: String?

    /// The method; `GET` unless set.
    ///
    /// What is not a plain GET is part of the keys, is never validated by HTTP's rules, and is tried again
    /// only by a ``retryRule``.
    public var method = "GET"

    /// The bytes that go with the request; none unless set.
    ///
    /// To set them makes a ``method`` of `GET` one of `POST`. They go to no other origin: neither by a
    /// redirect, nor to an alternative there, which is not asked.
    public var body: Data? {
        didSet {
            bodyDigest = body.map(\.keyDigest)
            if body != nil, method == "GET" { method = "POST" }
        }
    }

    /// What gets the bytes, in place of the pipeline's loader, which its owner shuts down.
    ///
    /// An empty name says that its answers are those of the pipeline's loader, or that ``sourceKey`` stands
    /// for them.
    public var loader: Named<any DataLoader>?

    /// What decodes, in place of the cache's codecs.
    public var codecs: Named<CodecRegistry>?

    /// What changes bytes on their way to and from the stores, in place of the pipeline's.
    public var serializer: Named<any CacheSerializer>?

    /// Changes the image when it is handed over; nothing that is cached or shared.
    ///
    /// It is called for each result, by the task that asks, also where the image was in memory; so it must
    /// be quick. What takes longer is a transform.
    public var modifier: Named<@Sendable (Image) -> Image>?

    /// When a load is tried again, in place of the loader's own policy.
    public var retryRule: Named<any RetryRule>?

    /// Where redirects may lead, beside what the loader permits; anywhere unless set.
    public var permitsRedirect: Named<@Sendable (URL) -> Bool>?

    /// Whether an image in memory that is larger than the target may stand in for it; false unless set.
    ///
    /// For requests with a target and no transforms. It is told by ``LoadedImage/isLarger``, and is not kept
    /// as what was asked for.
    public var acceptsLarger = false

    /// Whether the events of a load begin with the thumbnail that the file holds, as soon as that has come;
    /// false unless set.
    ///
    /// Cameras put one into JPEG, HEIC and TIFF, within the first kilobytes as a rule, and previews into
    /// raws. It is an ``ImageEvent/preview(_:)`` in a size of its own, smaller than the image, and kept
    /// nowhere; after it come previews that cover the picture, but no upper rows alone. For requests without
    /// transforms; of those that share a load, the first decides.
    public var previewsThumbnail = false

    /// Made when the body is set, as keys are asked for more often.
    private(set) var bodyDigest: String?

    /// Creates options of nothing; each default is stated at its property.
    public init() {}
}

extension RequestOptions {
    /// What where the bytes come from, and who may have them, depends on beside the URL and the fields.
    var sourceParts: [String] {
        var parts: [String] = []
        // A colon is in no name of a header field.
        if method != "GET" || body != nil { parts += [":method", method, bodyDigest ?? ""] }
        if let name = loader?.name, !name.isEmpty { parts += [":loader", name] }
        if let name = serializer?.name, !name.isEmpty { parts += [":serializer", name] }
        return parts
    }

    /// Whether a source is what the URL and the header fields make it.
    var leavesSource: Bool { sourceKey == nil && sourceParts.isEmpty && loader == nil }

    /// What loads depend on that no key has to tell; loads that differ in it are not shared.
    var fetchParts: [String] {
        [loader?.name, codecs?.name, retryRule?.name, permitsRedirect?.name].map { $0 ?? "" }
    }
}

/// Options on the heap: hardly any request has them.
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
    /// What few requests need; nothing unless set.
    public var options: RequestOptions {
        get { optionsBox?.options ?? RequestOptions() }
        set { optionsBox = newValue == RequestOptions() ? nil : OptionsBox(newValue) }
    }

    /// An image as it is handed over.
    func modified(_ image: Image) -> Image {
        optionsBox?.options.modifier?.value(image) ?? image
    }

    /// A result as it is handed over.
    func modified(_ loaded: LoadedImage) -> LoadedImage {
        guard optionsBox != nil else { return loaded }
        var handedOver = loaded
        handedOver.image = modified(loaded.image)
        return handedOver
    }

    /// Creates a request for bytes that a closure gives: of a database, an archive, a camera.
    ///
    /// They are cached like all others; `original: .none` in the ``cachePolicy`` keeps them out of the
    /// stores.
    ///
    /// - Parameters:
    ///   - key: What stands for the bytes in keys; other bytes, another key.
    ///   - bytes: Gives an encoded image; called where no cache has it, on any thread.
    public init(key: String, bytes: @escaping @Sendable () async throws -> Data) {
        // Digits of a digest are a URL's.
        self.init(url: URL(string: "bytes:\(Data(key.utf8).keyDigest)") ?? Self.nowhere)
        options.sourceKey = key
        options.loader = Named("", BytesLoader(bytes: bytes))
    }
}

/// Gives the bytes of a closure.
private struct BytesLoader: DataLoader {
    let bytes: @Sendable () async throws -> Data

    func response(for request: FetchRequest) async throws -> FetchResponse {
        let data = try await bytes()
        guard data.count <= request.byteCountMax else {
            throw FetchError(
                .bodyTooLarge,
                detail: "\(data.count) bytes received, the limit is \(request.byteCountMax)"
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
