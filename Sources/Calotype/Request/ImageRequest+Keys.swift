internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import CalotypeSupport
internal import FoundationEssentials

/// Header fields, in lower case, that do not affect responses.
///
/// They only describe the transfer, or address caches; names are compared without regard to case.
private let neutralHeaderNames: Set<String> = [
    "user-agent", "connection", "accept-encoding", "cache-control", "pragma",
]

extension ImageRequest {
    /// Returns the identity of the source, which determines the bytes and the access to them; the key of an
    /// original.
    ///
    /// Consists of the URL without its fragment, and a digest of the header fields that can affect the
    /// response. A `data:` URL is replaced by its digest, because it may be megabytes long.
    ///
    /// - Parameters:
    ///   - neutralNames: More header fields that do not affect responses, in lower case.
    ///   - loaderIdentity: The identity of what the loader adds, on which responses depend.
    ///   - filter: Extracts the part of a URL that identifies its source.
    /// - Returns: The identity, as text.
    func sourceIdentity(
        neutralNames: Set<String> = [],
        loaderIdentity: String = "",
        filteredBy filter: (URL) -> String
    ) -> String {
        let options = optionsBox?.options
        let inline = inlineDigest.map { "data:sha256-\($0.text(of: url))" }
        if let inline, options?.leavesSource ?? true { return inline }
        let address =
            options?.sourceKey.map(\.keyAddress) ?? inline ?? filter(url.keyURL).keyAddress
        var relevant: [String] = []
        for field in headers {
            let name = field.name.lowercased()
            guard !neutralHeaderNames.contains(name), !neutralNames.contains(name) else { continue }
            relevant += [name, field.value]
        }
        if url.user != nil || url.password != nil {
            let (user, password) = (url.user(percentEncoded: true), url.password(percentEncoded: true))
            relevant += ["", user ?? "", password ?? ""]
        }
        relevant += options?.sourceParts ?? []
        if !loaderIdentity.isEmpty { relevant += ["", loaderIdentity] }
        guard !relevant.isEmpty else { return address }
        // The length before each text makes the result unambiguous.
        let text = relevant.map { "\($0.utf8.count):\($0)" }.joined()
        return "\(address)#headers=\(Self.digest(text))"
    }

    /// The options that change pixels or bytes; empty for an original as its decoder returns it.
    var variantIdentity: String {
        guard let encoding else { return pixelIdentity }
        let pixels = pixelIdentity
        return (pixels.isEmpty ? "" : pixels + ",") + encoding.cacheIdentity
    }

    /// The options that change pixels; empty for an image as its decoder returns it.
    var pixelIdentity: String {
        var parts: [String] = []
        if let target = decoding.target.cacheIdentity { parts.append(target) }
        if decoding.frames == .first { parts.append("first-frame") }
        let limits = decoding.limits
        if limits.truncatesAnimations, decoding.frames == .all {
            parts.append("max-frames=\(limits.maxFrameCount)x\(limits.maxFramePixelCount)")
        }
        if decoding.scale != 1 { parts.append("scale=\(decoding.scale)") }
        if !decoding.appliesOrientation { parts.append("stored-orientation") }
        // The version of the colours: JPEG and WebP have them since the second.
        if !decoding.convertsToSRGB { parts.append("stored-colors=2") }
        if decoding.keepsWideGamut, decoding.convertsToSRGB { parts.append("wide-gamut") }
        if decoding.keepsDepth { parts.append("stored-depth") }
        if decoding.keepsMetadata { parts.append("metadata") }
        if decoding.keepsGainMap { parts.append("gain-map") }
        if decoding.light != .automatic { parts.append("light=\(decoding.light.rawValue)") }
        if decoding.damage == .allowsPartialImage { parts.append("damaged") }
        if let pages = decoding.pages { parts.append("pages=\(pages.first)+\(pages.count)") }
        if let codecs = optionsBox?.options.codecs {
            parts.append("codecs=\(codecs.name.utf8.count):\(codecs.name)")
        }
        if !transforms.isEmpty {
            // With its length before it, the text of a transform is unambiguous.
            let chain = transforms.cacheIdentity
            parts.append("transforms=\(chain.utf8.count):\(chain)")
        }
        // The version of the pixels of scaled decodes, which a release may change.
        if decoding.target != .full || !transforms.isEmpty { parts.append("scaling=3") }
        return parts.joined(separator: ",")
    }

    private static func digest(_ text: String) -> String {
        MessageDigest.sha256(text).prefix(16).hexadecimalDigits
    }
}

extension String {
    /// A custom key in the form of an address: a digest if it contains `#`, which ends the address in keys.
    fileprivate var keyAddress: String {
        utf8.contains(UInt8(ascii: "#")) ? "key:sha256-\(Data(utf8).keyDigest)" : self
    }
}

extension URL {
    /// The URL without fragment, user and password, which a key contains only as a digest; `http:` and
    /// `https:` URLs have a normalized scheme, host and port.
    fileprivate var keyURL: URL {
        let text = requestText
        guard PlainIdentity.source(text) == nil, let spelled = URL(spellingOfPlace: text) else {
            return URL(string: text, encodingInvalidCharacters: false) ?? self
        }
        return spelled
    }
}

extension DecodeOptions.Target {
    /// The target as text for a key; `nil` for the full size.
    var cacheIdentity: String? {
        switch self {
        case .full: nil
        case .fit(let box): "fit=\(box.cacheIdentity)"
        case .fill(let box): "fill=\(box.cacheIdentity)"
        case .fitBytes(let byteCount): "fitBytes=\(byteCount)"
        }
    }
}

extension PixelBox {
    /// The sides as text for a key: `320x`, `x240`, `320x240`.
    fileprivate var cacheIdentity: String {
        "\(width.map(String.init) ?? "")x\(height.map(String.init) ?? "")"
    }
}
