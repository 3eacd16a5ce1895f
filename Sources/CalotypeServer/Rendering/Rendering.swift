public import CalotypeCore
public import CalotypeTransforms

/// What a URL of the service asks for, whichever grammar it is written in: the one value between the grammars
/// and the pipeline.
public struct Rendering: Hashable, Sendable {
    /// Which format the bytes have.
    public enum Output: Hashable, Sendable {
        /// The best of what the client takes; else the original's, or one that browsers show.
        case negotiated
        /// A format that the URL names.
        case format(ImageFormat)
        /// The original's own bytes, whatever else the URL asks for.
        case original
    }

    /// Where the picture is.
    public var source: SourceURL

    /// What is made of it.
    public var transforms: TransformChain = []

    /// Which frames are shown; all of them unless set.
    public var frames: FrameSelection = .all

    /// Whether the picture is turned upright first; true unless set.
    public var appliesOrientation = true

    /// Which format the bytes have; negotiated unless set.
    public var output: Output = .negotiated

    /// How good they are, in whichever format; the service's default for the format unless set.
    public var quality = RenderingQuality()

    /// Whether the bytes say whose the picture is, where the original does; `nil` for the service's default.
    public var keepsCopyright: Bool?

    /// The formats in which the original's own bytes will do, where no other is asked for; none unless set.
    public var passthrough: Set<ImageFormat> = []

    /// How the answer is to be handled.
    public var delivery = Delivery()

    /// Creates a rendering of a picture as it is; each default is stated at its property.
    public init(source: SourceURL) {
        self.source = source
    }

    /// Whether what the client takes decides the format, so that the answer varies with it.
    public var isNegotiated: Bool { output == .negotiated }

    /// Whether nothing is done to the picture, and no format is named.
    var isPlain: Bool { isNegotiated && transforms.isEmpty }
}

/// How good the bytes of a rendering are.
public struct RenderingQuality: Hashable, Sendable {
    /// 1...100 in all formats that have a quality; `nil` for the service's default of the format.
    public var quality: Int?

    /// The same for single formats, where ``quality`` is not set.
    public var byFormat: [ImageFormat: Int] = [:]

    /// The most bytes, in formats that have a quality, which is lowered for it; `nil` for any number.
    public var byteCountMax: Int?

    /// Creates the service's defaults.
    public init() {}

    /// The quality for a format.
    public func quality(for format: ImageFormat, default service: Int?) -> Int? {
        quality ?? byFormat[format] ?? service
    }
}

/// How the answer to a URL is to be handled by whoever has it; no pixel depends on it.
public struct Delivery: Hashable, Sendable {
    /// When the URL ends; `nil` for never.
    public var expires: Timestamp?

    /// How long the answer may be kept, where the URL says so; `nil` for the service's default.
    public var maxAge: Duration?

    /// The name to save it under, without an extension; `nil` for that of the source.
    public var fileName: String?

    /// Whether it is to be saved and not shown; `nil` for the service's default.
    public var isAttachment: Bool?

    /// What tells one URL from another for caches in front of the service; changes nothing in it.
    public var cacheBuster: String?

    /// Creates the defaults.
    public init() {}

    /// Refuses a URL that has ended.
    ///
    /// - Throws: ``RequestError`` with `expired`.
    public func check(at now: Timestamp) throws(RequestError) {
        guard let expires, expires <= now else { return }
        throw RequestError(.expired, option: "expires", detail: "the URL ended at \(expires)")
    }
}
