package import CalotypeCodecs
package import CalotypeCore
package import CalotypeTransforms

/// The parsed request of a URL, independent of its grammar.
package struct Rendering: Hashable, Sendable {
    package enum Output: Hashable, Sendable {
        /// The best format that the client accepts, else the original's, or one that browsers support.
        case negotiated
        /// The original's format, or one that browsers support, whatever the client accepts.
        case preserved
        /// A format named by the URL.
        case format(ImageFormat)
        /// The original's bytes; all other options are ignored.
        case original
    }

    package var source: SourceURL

    package var transforms: TransformChain = []

    /// The selected frames; all unless set.
    package var frames: FrameSelection = .all

    /// The maximum number of frames of an animation, whose rest is ignored; `nil` for the service's limit,
    /// which it cannot exceed.
    package var maxFrameCount: Int?

    /// The pages of a TIFF or of an icon, or the frames for a result other than GIF and WebP; those that the
    /// decoder chooses unless set.
    package var pages: PageSelection?

    /// The content of a description, instead of an image.
    package var description = DescriptionOptions()

    /// Whether the image is first turned upright; true unless set.
    package var appliesOrientation = true

    /// The format of the result; negotiated unless set.
    package var output: Output = .negotiated

    /// Whether an opaque PNG becomes a JPEG, if neither the URL nor the client names a format; false unless
    /// set.
    package var replacesOpaquePNG = false

    /// The quality, in any format; the service's default for the format unless set.
    package var quality = RenderingQuality()

    /// Whether the result keeps the original's copyright metadata; `nil` for the service's default.
    package var keepsCopyright: Bool?

    /// Whether the result has no Exif, XMP and IPTC of the original; `nil` for the service's default.
    package var stripsMetadata: Bool?

    /// Whether the result is in sRGB, without a profile; `nil` for the service's default.
    package var stripsColorProfile: Bool?

    /// Whether the result keeps more than 8 bits a channel, in a format that has them; `nil` for the
    /// service's default.
    package var keepsDepth: Bool?

    /// The formats in which the original's bytes suffice, if no other format is requested; none unless set.
    package var passthrough: Set<ImageFormat> = []

    package var delivery = Delivery()

    /// Creates a rendering of an unchanged image; each default is stated at its property.
    package init(source: SourceURL) {
        self.source = source
    }

    /// Whether the client's `Accept` decides the format, so that the response varies with it.
    package var isNegotiated: Bool { output == .negotiated }

    /// Whether there are no transforms, and no format is named.
    var isPlain: Bool { isNegotiated && transforms.isEmpty }
}

package struct RenderingQuality: Hashable, Sendable {
    /// The quality in all formats that have one, 1...100; `nil` for the service's default of the format.
    package var quality: Int?

    /// The quality of individual formats, if ``quality`` is not set.
    package var byFormat: [ImageFormat: Int] = [:]

    /// The maximum bytes, kept by lowering the quality in formats that have one; `nil` for no limit.
    package var maxByteCount: Int?

    /// The settings of individual encoders.
    package var encoders = EncoderPreferences()

    /// Creates the service's defaults.
    package init() {}

    package func quality(for format: ImageFormat, default service: Int?) -> Int? {
        quality ?? byFormat[format] ?? service
    }
}

/// The content of a description.
package struct DescriptionOptions: Hashable, Sendable {
    /// Whether it includes the fields of the Exif block; true unless set.
    package var includesExif = true

    /// The first option that only a description has, as spelled in the URL; `nil` without one.
    package var option: String?

    /// Creates the defaults.
    package init() {}
}

/// The handling of a response by clients and caches; it does not affect pixels.
package struct Delivery: Hashable, Sendable {
    /// The expiry of the URL; `nil` for none.
    package var expires: Timestamp?

    /// The `max-age` of the response if the URL sets it; `nil` for the service's default.
    package var maxAge: Duration?

    /// Whether the response is fresh no longer than its original, whatever the service's default: for URLs
    /// whose source has no version.
    package var followsOrigin = false

    /// The file name for saving, without an extension; `nil` for that of the source.
    package var fileName: String?

    /// Whether the response is saved rather than displayed; `nil` for the service's default.
    package var isAttachment: Bool?

    /// A text that distinguishes URLs for caches in front of the service; ignored by the service.
    package var cacheBuster: String?

    /// The `Location` to redirect clients to if the image fails; `nil` for an error.
    package var errorRedirect: String?

    /// Creates the defaults.
    package init() {}

    /// Rejects an expired URL.
    ///
    /// - Throws: ``RequestError`` with `expired`.
    package func check(at now: Timestamp) throws(RequestError) {
        guard let expires, expires <= now else { return }
        throw RequestError(.expired, option: "expires", detail: "the URL expired at \(expires)")
    }
}
