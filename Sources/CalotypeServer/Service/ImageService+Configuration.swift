public import CalotypeCore
public import FoundationEssentials

extension ImageService {
    /// What a service does.
    public struct Configuration: Sendable {
        /// URLs in imgproxy's grammar, everywhere but below the other; `nil` for none.
        public var imgproxy: ImgproxyGrammar? = ImgproxyGrammar()
        /// URLs in thumbor's grammar, below `/thumbor/`; `nil` for none.
        public var thumbor: ThumborGrammar? = ThumborGrammar()
        /// Which pictures may be asked for; every one of the web unless set.
        public var sources = SourcePolicy()
        /// The folder that `local:` sources are in, a `file:` URL; none unless set.
        ///
        /// They are allowed where
        /// ``sources`` names a place of theirs as well.
        public var localRoot: URL?
        /// The encoders, and their qualities where a URL says nothing.
        public var encodings = EncodingDefaults()
        /// What is made for clients that name it, the best first; AVIF and WebP unless set.
        ///
        /// A format that ``encodings`` do not make counts for nothing.
        public var offers: [ImageFormat] = [.avif, .webP]
        /// Whether a client that takes WebP too gets that where there is no AVIF yet, which is then made
        /// behind it; true unless set.
        public var makesAVIFBehind = true
        /// What a decode may cost.
        public var limits = DecodeLimits()
        /// What answers say about being kept by others.
        public var caching = CachingFields()
        /// What is shown where a picture cannot be had; nothing but an error unless set.
        public var fallback: FallbackPicture?
        /// Whether an SVG is given as it is where a URL asks for nothing that is done to a picture; false
        /// unless set, when it is always drawn.
        ///
        /// Browsers run nothing in it, by the `Content-Security-Policy` of the answer.
        public var passesSVGThrough = false
        /// Whether answers are saved and not shown where a URL does not say; false unless set.
        public var savesByDefault = false
        /// How long a client waits for an answer; 30 s unless set.
        public var timeout: Duration = .seconds(30)
        /// When clients that find too much waiting may ask again; 1 s unless set.
        public var retryAfter: Duration = .seconds(1)
        /// What is told of each answer; nobody unless set.
        public var observer: (any ServiceObserver)?
        /// The time of day, by which URLs end.
        public var timeSource: any TimeSource = SystemTimeSource()

        /// Creates the defaults; each is stated at its property.
        public init() {}
    }
}

/// A picture that is shown in place of one that cannot be had, made as the URL asks.
public struct FallbackPicture: Hashable, Sendable {
    /// The encoded picture.
    public var data: Data
    /// The status of the answer: 200 unless given, for pages that show nothing where it is an error; `nil`
    /// for that of the error.
    public var status: Int?

    /// Creates a fallback.
    public init(data: Data, status: Int? = 200) {
        (self.data, self.status) = (data, status)
    }
}
