public import Calotype
import CalotypeCodecs
public import CalotypeCore
import CalotypeTransforms
public import FoundationEssentials

extension Rendering {
    /// The request that makes the rendering.
    ///
    /// - Parameters:
    ///   - negotiated: The format that the client's `Accept` has chosen; `nil` for the original's. Counts
    ///     only where ``isNegotiated``.
    ///   - defaults: The encoders, and their qualities where the URL says nothing.
    ///   - limits: What a decode may cost.
    ///   - localRoot: The folder that `local:` sources are in.
    /// - Returns: The request, of which HTTP's freshness decides whether the original may be used.
    /// - Throws: ``RequestError`` with `unsupportedFormat`, or with `invalidOption` for what no picture can
    ///   be made of.
    public func request(
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
        request.decoding.appliesOrientation = appliesOrientation
        // A scale in a file's name changes no pixel, and would only make another key.
        request.decoding.scale = 1
        request.encoding = try encoding(negotiated, defaults)
        return request
    }

    /// The request for the original's own bytes, of which only the header is read.
    ///
    /// - Parameters:
    ///   - limits: What a decode may cost.
    ///   - localRoot: The folder that `local:` sources are in.
    /// - Returns: The request.
    public func originalRequest(
        limits: DecodeLimits = DecodeLimits(),
        localRoot: URL? = nil
    ) -> ImageRequest {
        var request = ImageRequest(source.url(below: localRoot))
        request.decoding.limits = limits
        request.httpCaching = .respectsHTTP
        return request
    }

    /// Whether the original's own bytes are the answer, now that its format is known.
    ///
    /// - Parameters:
    ///   - format: That of the original.
    ///   - negotiated: What the client's `Accept` has chosen.
    /// - Returns: Whether nothing is to be made of them.
    public func isOriginal(_ format: ImageFormat, negotiated: ImageFormat? = nil) -> Bool {
        switch output {
        case .original: true
        case .format(let wanted): passthrough.contains(format) && wanted == format
        case .negotiated: passthrough.contains(format) && (negotiated == nil || negotiated == format)
        }
    }

    private func encoding(
        _ negotiated: ImageFormat?,
        _ defaults: EncodingDefaults
    ) throws(RequestError) -> ImageEncoding {
        var defaults = defaults
        defaults.keepsCopyright = keepsCopyright ?? defaults.keepsCopyright
        let format: ImageFormat?
        switch output {
        case .format(let named): format = named
        case .negotiated, .original: format = negotiated
        }
        guard let format else { return ImageEncoding(try KeptFormatEncoder(defaults, quality)) }
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
