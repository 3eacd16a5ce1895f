public import CalotypeCodecs
public import CalotypeLoading
public import CalotypeTransforms
public import FoundationEssentials

/// A request for an image: a value, from which its cache keys are derived.
///
/// A string literal works where a request is expected: `try await pipeline.image(for: "https://…/cat.jpeg")`;
/// other text goes through ``init(_:)-(StringProtocol)``, which throws where it is no URL. A file is asked
/// for by name, with ``init(filePath:)`` or a `file:` URL. Its description shows no credentials.
public struct ImageRequest: Hashable, Sendable {
    /// Where the image is: `http`, `https`, `file` or `data`.
    public var url: URL {
        didSet {
            (inlineDigest, refusedText, bytesAtHand) = (nil, nil, nil)
            prepareIdentity()
        }
    }

    /// Header fields to send; those that can change the answer are part of the key.
    public var headers: [HeaderField] { didSet { prepareIdentity() } }

    /// How the bytes are decoded: the target size, the orientation, the limits.
    ///
    /// A request that is made for a file name which states a scale, as in `cat@2x.png`, has that scale unless
    /// it is given one.
    public var decoding: DecodeOptions { didSet { prepareIdentity() } }

    /// What is made of the decoded image, in this order; nothing unless set.
    ///
    /// Where the first of them makes the image smaller, it is decoded small. Previews are transformed too,
    /// and so is each frame of an animation, unless the chain is one `exceptAnimations`.
    public var transforms: TransformChain { didSet { prepareIdentity() } }

    /// Which layers of the cache are asked and filled; ``CachePolicy/standard`` unless set.
    public var cachePolicy: CachePolicy

    /// How urgent it is; normal unless set.
    public var priority: LoadPriority

    /// How the variant is encoded, for ``ImagePipeline/data(for:priority:)`` and in the byte stores; the
    /// original's bytes unless set.
    ///
    /// With an encoding, the image returned is decoded from the encoded bytes, so network and disk loads give
    /// identical pixels.
    public var encoding: ImageEncoding? { didSet { prepareIdentity() } }

    /// Where else the same image is: asked in order once ``url`` has failed; none unless set.
    ///
    /// Keys are made of ``url`` alone.
    public var alternatives: [URL]

    /// Whether what HTTP says of freshness decides if a cached original may be used;
    /// `HTTPCaching.ignoresHTTP` unless set.
    public var httpCaching: HTTPCaching

    /// Whether a URL is asked for even where it has failed for good within the last minute; false unless set.
    public var ignoresPastFailure: Bool

    /// Whether the result waits until it has been written to its store; false unless set.
    public var waitsForStore: Bool

    /// How long a call waits for its result, everything included: queues, connections, redirects, retries,
    /// decoding; ``ImagePipeline/Configuration/timeout`` unless set.
    ///
    /// The call then fails with `FetchError.Code.timedOut`; others that wait for the same go on.
    public var timeout: Duration?

    /// When what it stores stops being served, in memory and on disk; as the caches say unless set.
    public var expiry = CacheExpiry()

    /// Where ``options`` are, if there are any.
    var optionsBox: OptionsBox? { didSet { prepareIdentity() } }

    /// Whether it shares no work with requests for other URLs of the same source.
    var isAskedAlone = false

    /// The text that it was made of, where that was no URL; to load it is an error.
    private(set) var refusedText: String?

    /// The size and format of bytes that came without a URL, such as an upload; `nil` for a request with one.
    var bytesAtHand: String?

    /// Of a `data:` URL, which may be megabytes long.
    private(set) var inlineDigest: InlineDigest?

    /// Prepared whenever something changes that it depends on, so that a hit in memory makes no text.
    private(set) var plainIdentity = PlainIdentity()

    /// Creates a request; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - url: Where the image is.
    ///   - headers: Header fields to send.
    ///   - decoding: How the bytes are decoded.
    ///   - transforms: What is made of the decoded image.
    ///   - cachePolicy: Which layers of the cache are asked and filled.
    ///   - priority: How urgent it is.
    ///   - encoding: How the variant is encoded.
    ///   - alternatives: Where else the same image is.
    ///   - httpCaching: Whether HTTP's freshness counts.
    ///   - ignoresPastFailure: Whether a URL is asked for that has failed for good.
    ///   - waitsForStore: Whether the result waits until it has been written.
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

    /// A request that fails when it is loaded, since its text is no URL.
    init(refusedText: String) {
        self.init(url: Self.nowhere)
        self.refusedText = refusedText
    }

    /// What no loader is asked for.
    static let nowhere = URL(filePath: "/dev/null/nowhere")

    private mutating func prepareIdentity() {
        plainIdentity = PlainIdentity(of: self)
        guard plainIdentity.value == nil, inlineDigest == nil, url.scheme?.lowercased() == "data" else {
            return
        }
        inlineDigest = InlineDigest()
    }
}
