import CalotypeCodecs
public import CalotypeCore
public import FoundationEssentials

extension ImageService {
    /// The configuration of a service.
    public struct Configuration: Sendable {
        /// The imgproxy grammar, for all paths without another route; `nil` disables it.
        public var imgproxy: ImgproxyGrammar? = ImgproxyGrammar()
        /// The thumbor grammar, below `/thumbor/`; `nil` disables it.
        public var thumbor: ThumborGrammar? = ThumborGrammar()
        /// The grammar of Next.js, at `/_next/image`; `nil`, the default, disables it.
        public var nextImage: NextImageGrammar?
        /// The grammar of Cloudflare, below `/cdn-cgi/image/`; `nil`, the default, disables it.
        public var cloudflare: CloudflareGrammar?
        /// Whether client hints are the defaults of width and density in the imgproxy grammar; false unless
        /// set.
        public var usesClientHints = false
        /// The uploads that are accepted, in the imgproxy grammar; `nil`, the default, for none.
        public var uploads: UploadSettings?
        /// The pages of other origins that may read responses; `nil`, the default, for none.
        public var crossOrigin: CrossOriginPolicy?
        /// Returns the setting behind an error, to be named in the response; none unless set.
        public var settingBehind: (@Sendable (ServiceRecord) -> ProblemSetting?)?
        /// The permitted sources; all of the web unless set.
        public var sources = SourcePolicy()
        /// The folder of `local:` sources, a `file:` URL; none unless set.
        ///
        /// They are permitted if ``sources`` includes them.
        public var localRoot: URL?
        /// The encoders, with their default qualities.
        public var encodings = EncodingDefaults()
        /// The values mixed by resizes: linear light for photographs that become smaller unless set.
        public var light = ResamplingLight.automatic
        /// The formats offered for negotiation, best first; AVIF and WebP unless set.
        ///
        /// Formats that ``encodings`` cannot encode are ignored.
        public var offers: [ImageFormat] = [.avif, .webP]
        /// Whether an AVIF that is not cached yet is answered with WebP, if the client accepts it, and
        /// encoded in the background; true unless set.
        public var encodesAVIFInBackground = true
        /// The limits of a decode.
        public var limits = DecodeLimits()
        /// Whether the readable part of a damaged original is rendered, as browsers do; false unless set,
        /// when it is an error.
        public var showsDamagedOriginals = false
        /// The caching fields of responses.
        public var caching = CachingHeaders()
        /// The image served in place of an error; none unless set.
        public var fallback: FallbackImage?
        /// The image of imgproxy's `watermark` option; none unless set, so that only URLs name one.
        public var watermark: WatermarkImage?
        /// The factor for the opacity of imgproxy's watermarks, 0...1; 1 unless set.
        public var watermarkOpacity = 1.0
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

        var damage: DecodeOptions.Damage { showsDamagedOriginals ? .allowsPartialImage : .strict }

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
    /// The statuses of errors that it replaces; `nil`, the default, for all errors of images but 503.
    public var statuses: Set<Int>?
    /// The `max-age` of the response; `nil`, the default, for `no-store`.
    public var maxAge: Duration?

    /// Creates a fallback.
    public init(data: Data, status: Int? = 200) {
        (self.data, self.status) = (data, status)
    }

    /// Whether it replaces an error with a status.
    func replaces(_ status: Int) -> Bool { statuses.map { $0.contains(status) } ?? (status != 503) }
}
