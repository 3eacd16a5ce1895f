public import CalotypeCodecs
public import CalotypeLoading
public import CalotypeTransforms
public import FoundationEssentials

/// A request for an image: a value, from which its cache keys are derived.
///
/// A string literal works as a request: `try await pipeline.image(for: "https://…/cat.jpeg")`. For other text
/// use ``init(_:)-(StringProtocol)``, which throws if it is not a URL. For a file use ``init(filePath:)`` or
/// a `file:` URL. The description shows no credentials.
public struct ImageRequest: Hashable, Sendable {
    /// The URL of the image: `http`, `https`, `file` or `data`.
    public var url: URL {
        didSet {
            (inlineDigest, refusedText, bytesAtHand) = (nil, nil, nil)
            prepareIdentity()
        }
    }

    /// Header fields to send; those that can affect the response are part of the key.
    public var headers: [HeaderField] { didSet { prepareIdentity() } }

    /// The options of the decode: target size, orientation, limits.
    ///
    /// A request for a file name with a scale, as in `cat@2x.png`, has that scale unless another one is
    /// given.
    public var decoding: DecodeOptions { didSet { prepareIdentity() } }

    /// The transforms of the decoded image, in this order; none unless set.
    ///
    /// If the first transforms reduce the image, it is decoded at a smaller size. Previews are transformed
    /// too, and so is each frame of an animation, unless the chain is one `exceptAnimations`.
    public var transforms: TransformChain { didSet { prepareIdentity() } }

    /// The cache layers to read and write; ``CachePolicy/standard`` unless set.
    public var cachePolicy: CachePolicy

    /// The priority; normal unless set.
    public var priority: LoadPriority

    /// The encoding of the variant, for ``ImagePipeline/data(for:priority:)`` and in the byte stores; the
    /// original's bytes unless set.
    ///
    /// With an encoding, the image returned is decoded from the encoded bytes, so network and disk loads give
    /// identical pixels.
    public var encoding: ImageEncoding? { didSet { prepareIdentity() } }

    /// Other URLs of the same image, requested in order once ``url`` has failed; none unless set.
    ///
    /// Keys depend on ``url`` alone.
    public var alternatives: [URL]

    /// The use of HTTP freshness for cached originals; `HTTPCaching.ignoresHTTP` unless set.
    public var httpCaching: HTTPCaching

    /// True to request a URL even if it has failed permanently of late; false unless set.
    public var ignoresPastFailure: Bool

    /// True to wait until the result is written to its store; false unless set.
    public var waitsForStore: Bool

    /// The time limit of a call, with queues, connections, redirects, retries and decoding;
    /// ``ImagePipeline/Configuration/timeout`` unless set.
    ///
    /// A call that exceeds it fails with `FetchError.Code.timedOut`; other calls for the same work continue.
    public var timeout: Duration?

    /// The expiry of what the request stores, in memory and on disk; that of the caches unless set.
    public var expiry = CacheExpiry()

    /// The storage of ``options``, if there are any.
    var optionsBox: OptionsBox? { didSet { prepareIdentity() } }

    /// True to share no work with requests for other URLs of the same source.
    var isAskedAlone = false

    /// The text that the request was created from, if it is not a URL; loading the request is an error.
    private(set) var refusedText: String?

    /// The size and format of bytes that came without a URL, such as an upload; `nil` for a request with one.
    var bytesAtHand: String?

    /// The digest of a `data:` URL, which may be megabytes long.
    private(set) var inlineDigest: DataURLDigest?

    /// Updated whenever a property changes that it depends on, so that a memory hit builds no text.
    private(set) var plainIdentity = PlainIdentity()

    /// Creates a request; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - url: The URL of the image.
    ///   - headers: Header fields to send.
    ///   - decoding: The options of the decode.
    ///   - transforms: The transforms of the decoded image.
    ///   - cachePolicy: The cache layers to read and write.
    ///   - priority: The priority.
    ///   - encoding: The encoding of the variant.
    ///   - alternatives: Other URLs of the same image.
    ///   - httpCaching: The use of HTTP freshness for cached originals.
    ///   - ignoresPastFailure: True to request a URL even if it has failed permanently of late.
    ///   - waitsForStore: True to wait until the result is written to its store.
    public init(
        url: URL,
        headers: [HeaderField] = [],
        decoding: DecodeOptions = DecodeOptions(),
        transforms: TransformChain = [],
        cachePolicy: CachePolicy = .standard,
        priority: LoadPriority = .normal,
        encoding: ImageEncoding? = nil,
        alternatives: [URL] = [],
        httpCaching: HTTPCaching = .ignoresHTTP,
        ignoresPastFailure: Bool = false,
        waitsForStore: Bool = false
    ) {
        self.url = url
        self.headers = headers
        self.decoding = decoding
        if !decoding.isScaleSet, let scale = url.absoluteString.statedScale { self.decoding.scale = scale }
        self.transforms = transforms
        self.cachePolicy = cachePolicy
        self.priority = priority
        self.encoding = encoding
        self.alternatives = alternatives
        self.httpCaching = httpCaching
        self.ignoresPastFailure = ignoresPastFailure
        self.waitsForStore = waitsForStore
        prepareIdentity()
    }

    /// Creates a request that fails when it is loaded, because its text is not a URL.
    init(refusedText: String) {
        self.init(url: Self.nowhere)
        self.refusedText = refusedText
    }

    /// A URL for requests that no loader gets.
    static let nowhere = URL(filePath: "/dev/null/nowhere")

    private mutating func prepareIdentity() {
        plainIdentity = PlainIdentity(of: self)
        guard plainIdentity.value == nil, inlineDigest == nil, url.scheme?.lowercased() == "data" else {
            return
        }
        inlineDigest = DataURLDigest()
    }
}
