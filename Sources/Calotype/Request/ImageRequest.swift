public import CalotypeCodecs
public import CalotypeLoading
public import CalotypeTransforms
public import FoundationEssentials

/// A request for an image: a value, from which its cache keys are derived.
///
/// A string literal works where a request is expected: `try await pipeline.image(for: "https://…/cat.jpeg")`.
public struct ImageRequest: Hashable, Sendable {
    /// Where the image is: `http`, `https`, `file` or `data`.
    public var url: URL { didSet { prepareIdentity() } }

    /// Header fields to send; those that can change the answer are part of the key.
    public var headers: [HeaderField] { didSet { prepareIdentity() } }

    /// How the bytes are decoded: the target size, the orientation, the limits.
    ///
    /// A request that is made for a file name which states a scale, as in `cat@2x.png`, has that scale unless
    /// it is given another than 1.
    public var decoding: DecodeOptions { didSet { prepareIdentity() } }

    /// What is made of the decoded image, in this order; nothing unless set.
    ///
    /// Where the first of them makes the image smaller, it is decoded small. Previews are transformed too.
    public var transforms: TransformChain { didSet { prepareIdentity() } }

    /// Which layers of the cache are asked and filled; ``CachePolicy/standard`` unless set.
    public var cachePolicy: CachePolicy

    /// How urgent it is; normal unless set.
    public var priority: LoadPriority

    /// How the variant is encoded, for ``ImagePipeline/data(for:priority:)`` and in the byte stores; the
    /// original's bytes unless set.
    ///
    /// An image that is asked for with an encoding is what its bytes decode to, so that it is the same
    /// whether it comes from the network or from disk.
    public var encoding: ImageEncoding? { didSet { prepareIdentity() } }

    /// Where else the same image is: asked in order once ``url`` has failed; none unless set.
    ///
    /// Keys are made of ``url`` alone.
    public var alternatives: [URL]

    /// Whether what HTTP says of freshness decides if a cached original may be used;
    /// `HTTPCaching.ignoresHTTP` unless set.
    public var httpCaching: HTTPCaching

    /// Whether a URL is asked for even where it has failed for good within the last minute; false unless set.
    public var ignoresPastFailure: Bool

    /// Whether the result waits until it has been written to its store; false unless set.
    public var waitsForStore: Bool

    /// Prepared whenever something changes that it depends on, so that a hit in memory makes no text.
    private(set) var plainIdentity = PlainIdentity()

    /// Creates a request; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - url: Where the image is.
    ///   - headers: Header fields to send.
    ///   - decoding: How the bytes are decoded.
    ///   - transforms: What is made of the decoded image.
    ///   - cachePolicy: Which layers of the cache are asked and filled.
    ///   - priority: How urgent it is.
    ///   - encoding: How the variant is encoded.
    ///   - alternatives: Where else the same image is.
    ///   - httpCaching: Whether HTTP's freshness counts.
    ///   - ignoresPastFailure: Whether a URL is asked for that has failed for good.
    ///   - waitsForStore: Whether the result waits until it has been written.
    public init(
        url: URL,
        headers: [HeaderField] = [],
        decoding: DecodeOptions = DecodeOptions(),
        transforms: TransformChain = [],
        cachePolicy: CachePolicy = .standard,
        priority: LoadPriority = .normal,
        encoding: ImageEncoding? = nil,
        alternatives: [URL] = [],
        httpCaching: HTTPCaching = .ignoresHTTP,
        ignoresPastFailure: Bool = false,
        waitsForStore: Bool = false
    ) {
        self.url = url
        self.headers = headers
        self.decoding = decoding
        if decoding.scale == 1, let scale = url.statedScale { self.decoding.scale = scale }
        self.transforms = transforms
        self.cachePolicy = cachePolicy
        self.priority = priority
        self.encoding = encoding
        self.alternatives = alternatives
        self.httpCaching = httpCaching
        self.ignoresPastFailure = ignoresPastFailure
        self.waitsForStore = waitsForStore
        prepareIdentity()
    }

    /// Creates a request from what a person types: a URL, or the path of a file.
    ///
    /// Text that begins with a scheme and a colon is a URL; everything else is a path, relative to the
    /// current folder unless it begins with `/`.
    ///
    /// - Returns: `nil` where the text has a scheme but is no URL, or is empty.
    public init?(addressOrPath text: String) {
        guard let url = URL(addressOrPath: text) else { return nil }
        self.init(url: url)
    }

    private mutating func prepareIdentity() {
        plainIdentity = PlainIdentity(of: self)
    }
}

extension ImageRequest: ExpressibleByStringLiteral {
    /// Creates a request from a literal.
    ///
    /// - Precondition: The literal is a URL or a path.
    public init(stringLiteral value: String) {
        guard let request = ImageRequest(addressOrPath: value) else {
            preconditionFailure("not a URL: \(value)")
        }
        self = request
    }
}

extension URL {
    /// The scale that the file name states before its extension: `@2x.` or `@3x.`, also as `%402x.`.
    fileprivate var statedScale: Double? {
        // Taking the path apart takes microseconds, and hardly any name states a scale.
        guard absoluteString.utf8.contains(UInt8(ascii: "x"), before: UInt8(ascii: ".")) else { return nil }
        let name = lastPathComponent
        for scale in [2.0, 3.0] {
            let digit = Int(scale)
            if name.contains("@\(digit)x.") || name.contains("%40\(digit)x.") { return scale }
        }
        return nil
    }

    /// A URL from text that is one, or from the path of a file.
    fileprivate init?(addressOrPath text: String) {
        guard !text.isEmpty else { return nil }
        guard Self.hasScheme(text) else {
            self.init(filePath: text)
            return
        }
        self.init(string: text)
    }

    /// Whether text begins with a scheme of at least two characters and a colon (RFC 3986 §3.1).
    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        let scheme = text[..<colon]
        guard scheme.count >= 2, let first = scheme.first, first.isASCII, first.isLetter else { return false }
        return scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}

extension String.UTF8View {
    /// Whether one byte stands somewhere right before another.
    fileprivate func contains(_ byte: UInt8, before next: UInt8) -> Bool {
        var previous: UInt8?
        for current in self {
            if current == next, previous == byte { return true }
            previous = current
        }
        return false
    }
}
