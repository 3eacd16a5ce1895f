public import CalotypeCore
public import CalotypeTransforms

/// The parsed request of a URL, independent of its grammar.
public struct Rendering: Hashable, Sendable {
    /// The format of the result.
    public enum Output: Hashable, Sendable {
        /// The best format that the client accepts, else the original's, or one that browsers support.
        case negotiated
        /// A format named by the URL.
        case format(ImageFormat)
        /// The original's bytes; all other options are ignored.
        case original
    }

    /// The source.
    public var source: SourceURL

    /// The transforms.
    public var transforms: TransformChain = []

    /// The selected frames; all unless set.
    public var frames: FrameSelection = .all

    /// Whether the image is first turned upright; true unless set.
    public var appliesOrientation = true

    /// The format of the result; negotiated unless set.
    public var output: Output = .negotiated

    /// The quality, in any format; the service's default for the format unless set.
    public var quality = RenderingQuality()

    /// Whether the result keeps the original's copyright metadata; `nil` for the service's default.
    public var keepsCopyright: Bool?

    /// The formats in which the original's bytes suffice, if no other format is requested; none unless set.
    public var passthrough: Set<ImageFormat> = []

    /// The handling of the response.
    public var delivery = Delivery()

    /// Creates a rendering of an unchanged image; each default is stated at its property.
    public init(source: SourceURL) {
        self.source = source
    }

    /// Whether the client's `Accept` decides the format, so that the response varies with it.
    public var isNegotiated: Bool { output == .negotiated }

    /// Whether there are no transforms, and no format is named.
    var isPlain: Bool { isNegotiated && transforms.isEmpty }
}

/// The quality of a rendering.
public struct RenderingQuality: Hashable, Sendable {
    /// The quality in all formats that have one, 1...100; `nil` for the service's default of the format.
    public var quality: Int?

    /// The quality of individual formats, if ``quality`` is not set.
    public var byFormat: [ImageFormat: Int] = [:]

    /// The maximum bytes, kept by lowering the quality in formats that have one; `nil` for no limit.
    public var byteCountMax: Int?

    /// Creates the service's defaults.
    public init() {}

    /// Returns the quality for a format.
    public func quality(for format: ImageFormat, default service: Int?) -> Int? {
        quality ?? byFormat[format] ?? service
    }
}

/// The handling of a response by clients and caches; it does not affect pixels.
public struct Delivery: Hashable, Sendable {
    /// The expiry of the URL; `nil` for none.
    public var expires: Timestamp?

    /// The `max-age` of the response if the URL sets it; `nil` for the service's default.
    public var maxAge: Duration?

    /// The file name for saving, without an extension; `nil` for that of the source.
    public var fileName: String?

    /// Whether the response is saved rather than displayed; `nil` for the service's default.
    public var isAttachment: Bool?

    /// A text that distinguishes URLs for caches in front of the service; ignored by the service.
    public var cacheBuster: String?

    /// Creates the defaults.
    public init() {}

    /// Rejects an expired URL.
    ///
    /// - Throws: ``RequestError`` with `expired`.
    public func check(at now: Timestamp) throws(RequestError) {
        guard let expires, expires <= now else { return }
        throw RequestError(.expired, option: "expires", detail: "the URL expired at \(expires)")
    }
}
