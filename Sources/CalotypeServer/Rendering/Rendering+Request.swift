package import Calotype
import CalotypeCodecs
package import CalotypeCore
import CalotypeTransforms
package import FoundationEssentials

extension Rendering {
    /// Returns the request that produces the rendering.
    ///
    /// - Parameters:
    ///   - negotiated: The format chosen by the client's `Accept`; `nil` for the original's. Used only if
    ///     ``isNegotiated``.
    ///   - refused: The formats that the original loses because of the client's `Accept`.
    ///   - defaults: The encoders, with their default qualities.
    ///   - limits: The limits of a decode.
    ///   - damage: The treatment of damaged originals.
    ///   - localRoot: The folder of `local:` sources.
    /// - Returns: The request; HTTP freshness decides whether a cached original may be used.
    /// - Throws: ``RequestError`` with `unsupportedFormat`, or with `invalidOption` for transforms that fit
    ///   no image.
    package func request(
        negotiated: ImageFormat? = nil,
        refused: Set<ImageFormat> = [],
        defaults: EncodingDefaults = EncodingDefaults(),
        limits: DecodeLimits = DecodeLimits(),
        damage: DecodeOptions.Damage = .strict,
        localRoot: URL? = nil
    ) throws(RequestError) -> ImageRequest {
        var request = originalRequest(limits: limits, damage: damage, localRoot: localRoot)
        guard output != .original else { return request }
        try checkTransforms()
        var decoding = request.decoding
        decoding.frames = frames
        if let maxFrameCount {
            decoding.limits.maxFrameCount = min(max(1, maxFrameCount), limits.maxFrameCount)
            decoding.limits.truncatesAnimations = true
        }
        decoding.pages = pages
        if pages != nil, let format = format(negotiated), !Self.animatedFormats.contains(format) {
            decoding.frames = .first
        }
        decoding.appliesOrientation = appliesOrientation
        let mayBeDeep = format(negotiated).map { EncodingDefaults.deepFormats.contains($0) } ?? true
        decoding.keepsDepth = mayBeDeep && (keepsDepth ?? defaults.keepsDepth)
        // A scale in a file name changes no pixel, and would only make another key.
        decoding.scale = 1
        decoding.keepsWideGamut = !(stripsColorProfile ?? defaults.stripsColorProfile)
        decoding.keepsMetadata = !(stripsMetadata ?? defaults.stripsMetadata)
        // Only JPEG holds a gain map, which is an extension of the range, and counts in a limit of bytes.
        let canHoldMap = [nil, .jpeg].contains(format(negotiated))
        decoding.keepsGainMap = decoding.keepsWideGamut && canHoldMap && quality.maxByteCount == nil
        // Each assignment builds the key anew, so the transforms, whose text is the longest, come last.
        request.decoding = decoding
        request.encoding = try encoding(negotiated, refused, defaults)
        request.transforms = transforms
        return request
    }

    /// Returns the request for the original's bytes, of which only the header is read.
    ///
    /// - Parameters:
    ///   - limits: The limits of a decode.
    ///   - damage: The treatment of a damaged original.
    ///   - localRoot: The folder of `local:` sources.
    /// - Returns: The request.
    package func originalRequest(
        limits: DecodeLimits = DecodeLimits(),
        damage: DecodeOptions.Damage = .strict,
        localRoot: URL? = nil
    ) -> ImageRequest {
        var request = ImageRequest(source.url(below: localRoot))
        request.decoding.limits = limits
        request.decoding.damage = damage
        request.httpCaching = .respectsHTTP
        return request
    }

    /// Whether the response is the original's bytes, once its format is known.
    ///
    /// - Parameters:
    ///   - format: The format of the original.
    ///   - negotiated: The format chosen by the client's `Accept`.
    /// - Returns: Whether no rendering is needed.
    package func isOriginal(_ format: ImageFormat, negotiated: ImageFormat? = nil) -> Bool {
        switch output {
        case .original: true
        case .format(let wanted): passthrough.contains(format) && wanted == format
        case .preserved: passthrough.contains(format)
        case .negotiated: passthrough.contains(format) && (negotiated == nil || negotiated == format)
        }
    }

    /// The formats that imgproxy writes animations in: for a result in another one, pages are frames of an
    /// animated original.
    private static let animatedFormats: Set<ImageFormat> = [.gif, .webP]

    private func encoding(
        _ negotiated: ImageFormat?,
        _ refused: Set<ImageFormat>,
        _ defaults: EncodingDefaults
    ) throws(RequestError) -> ImageEncoding {
        var defaults = defaults
        defaults.keepsCopyright = keepsCopyright ?? defaults.keepsCopyright
        defaults.stripsMetadata = stripsMetadata ?? defaults.stripsMetadata
        var encoding =
            if let format = format(negotiated) {
                ImageEncoding(try defaults.encoder(for: format, quality))
            } else {
                ImageEncoding(
                    try PreservedFormatEncoder(
                        defaults,
                        quality,
                        refused: refused,
                        replacesOpaquePNG: replacesOpaquePNG
                    )
                )
            }
        if defaults.keepsSmallerOriginals {
            encoding.smallerOriginal =
                RetainedMetadata(orientation: false, copyright: defaults.keepsCopyright)
        }
        return encoding
    }

    /// Returns the format of the result; `nil` for the original's.
    private func format(_ negotiated: ImageFormat?) -> ImageFormat? {
        switch output {
        case .format(let named): named
        case .preserved: nil
        case .negotiated, .original: negotiated
        }
    }

    private func checkTransforms() throws(RequestError) {
        do {
            try transforms.validate()
        } catch {
            throw RequestError(.invalidOption, detail: "\(error)")
        }
    }
}
