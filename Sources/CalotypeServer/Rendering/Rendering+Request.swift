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
    ///   - defaults: The encoders, with their default qualities.
    ///   - limits: The limits of a decode.
    ///   - localRoot: The folder of `local:` sources.
    /// - Returns: The request; HTTP freshness decides whether a cached original may be used.
    /// - Throws: ``RequestError`` with `unsupportedFormat`, or with `invalidOption` for transforms that fit
    ///   no image.
    package func request(
        negotiated: ImageFormat? = nil,
        defaults: EncodingDefaults = EncodingDefaults(),
        limits: DecodeLimits = DecodeLimits(),
        localRoot: URL? = nil
    ) throws(RequestError) -> ImageRequest {
        var request = originalRequest(limits: limits, localRoot: localRoot)
        guard output != .original else { return request }
        try checkTransforms()
        request.transforms = transforms
        request.decoding.frames = frames
        request.decoding.pages = pages
        if pages != nil, let format = resultFormat(negotiated), Self.stillFormats.contains(format) {
            request.decoding.frames = .first
        }
        request.decoding.appliesOrientation = appliesOrientation
        // A scale in a file name changes no pixel, and would only make another key.
        request.decoding.scale = 1
        request.encoding = try encoding(negotiated, defaults)
        return request
    }

    /// Returns the request for the original's bytes, of which only the header is read.
    ///
    /// - Parameters:
    ///   - limits: The limits of a decode.
    ///   - localRoot: The folder of `local:` sources.
    /// - Returns: The request.
    package func originalRequest(
        limits: DecodeLimits = DecodeLimits(),
        localRoot: URL? = nil
    ) -> ImageRequest {
        var request = ImageRequest(source.url(below: localRoot))
        request.decoding.limits = limits
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
        case .negotiated: passthrough.contains(format) && (negotiated == nil || negotiated == format)
        }
    }

    /// The formats without animations: for a result in them, pages are frames of an animated original.
    private static let stillFormats: Set<ImageFormat> = [.jpeg, .heic, .tiff, .bmp, .ico]

    /// Returns the format of the result; `nil` for that of the original.
    private func resultFormat(_ negotiated: ImageFormat?) -> ImageFormat? {
        switch output {
        case .format(let named): named
        case .negotiated, .original: negotiated
        }
    }

    private func encoding(
        _ negotiated: ImageFormat?,
        _ defaults: EncodingDefaults
    ) throws(RequestError) -> ImageEncoding {
        var defaults = defaults
        defaults.keepsCopyright = keepsCopyright ?? defaults.keepsCopyright
        guard let format = resultFormat(negotiated) else {
            return ImageEncoding(try PreservedFormatEncoder(defaults, quality))
        }
        return ImageEncoding(try defaults.encoder(for: format, quality))
    }

    private func checkTransforms() throws(RequestError) {
        do {
            try transforms.validate()
        } catch {
            throw RequestError(.invalidOption, detail: "\(error)")
        }
    }
}
