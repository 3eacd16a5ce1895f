public import CalotypeCore
public import FoundationEssentials

extension ImageService {
    /// The configuration of a service.
    public struct Configuration: Sendable {
        /// The imgproxy grammar, for all paths without another route; `nil` disables it.
        public var imgproxy: ImgproxyGrammar? = ImgproxyGrammar()
        /// The thumbor grammar, below `/thumbor/`; `nil` disables it.
        public var thumbor: ThumborGrammar? = ThumborGrammar()
        /// The permitted sources; all of the web unless set.
        public var sources = SourcePolicy()
        /// The folder of `local:` sources, a `file:` URL; none unless set.
        ///
        /// They are permitted if ``sources`` includes them.
        public var localRoot: URL?
        /// The encoders, with their default qualities.
        public var encodings = EncodingDefaults()
        /// The formats offered for negotiation, best first; AVIF and WebP unless set.
        ///
        /// Formats that ``encodings`` cannot encode are ignored.
        public var offers: [ImageFormat] = [.avif, .webP]
        /// Whether an AVIF that is not cached yet is answered with WebP, if the client accepts it, and
        /// encoded in the background; true unless set.
        public var encodesAVIFInBackground = true
        /// The limits of a decode.
        public var limits = DecodeLimits()
        /// The caching fields of responses.
        public var caching = CachingHeaders()
        /// The image served in place of an error; none unless set.
        public var fallback: FallbackImage?
        /// Whether an SVG is passed through if a URL asks for no change; false unless set, when it is always
        /// drawn.
        ///
        /// The `Content-Security-Policy` of the response keeps browsers from running anything in it.
        public var passesSVGThrough = false
        /// Whether descriptions include the position of the camera; false unless set.
        ///
        /// A position may reveal the home of a person; results never contain it.
        public var describesLocation = false
        /// Whether responses are saved rather than displayed, unless a URL says otherwise; false unless set.
        public var isAttachmentByDefault = false
        /// The time limit of a response; 30 s unless set.
        public var timeout: Duration = .seconds(30)
        /// The `Retry-After` value of 503 responses; 1 s unless set.
        public var retryAfter: Duration = .seconds(1)
        /// Receives a record of each response; none unless set.
        public var observer: (any ServiceObserver)?
        /// The clock for the expiry of URLs.
        public var timeSource: any TimeSource = SystemTimeSource()

        /// Creates the defaults; each is stated at its property.
        public init() {}
    }
}

/// An image served in place of one that fails, rendered as the URL asks.
public struct FallbackImage: Hashable, Sendable {
    /// The encoded image.
    public var data: Data
    /// The status of the response: 200 unless given, for pages that hide images with an error status; `nil`
    /// for that of the error.
    public var status: Int?

    /// Creates a fallback.
    public init(data: Data, status: Int? = 200) {
        (self.data, self.status) = (data, status)
    }
}
