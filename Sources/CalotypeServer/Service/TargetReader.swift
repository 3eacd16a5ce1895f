import Calotype
import FoundationEssentials

/// Parses request targets: each one once, however often it is requested.
struct TargetReader: Sendable {
    static let thumborPrefix = "/thumbor"

    private let configuration: ImageService.Configuration
    /// Parsed targets; only correctly signed ones are stored.
    ///
    /// Keyed by bytes: equal texts may be encoded differently.
    let understood = MemoryCache<ImageKey, ParsedTarget>(costLimit: 8 << 20)

    init(_ configuration: ImageService.Configuration) {
        self.configuration = configuration
    }

    /// Returns the cached result of parsing a target, if there is one.
    func known(_ target: String, _ hints: ClientHints = .none) -> ParsedTarget? {
        understood[key(of: target, hints)]
    }

    /// Returns the key of a target; only imgproxy's grammar uses hints.
    private func key(of target: String, _ hints: ClientHints) -> ImageKey {
        guard hints != .none, parser(of: target) == .imgproxy else { return ImageKey(target) }
        // A line break cannot occur in a target.
        return ImageKey("\(target)\n\(hints.text)")
    }

    /// Parses a target, or returns the cached result.
    func understand(_ target: String, _ hints: ClientHints = .none) throws(RequestError) -> ParsedTarget {
        if let known = known(target, hints) {
            try known.rendering.delivery.check(at: configuration.timeSource.now())
            return known
        }
        let new = try ParsedTarget(
            try rendering(of: target, hints),
            configuration,
            isHinted: configuration.usesClientHints && parser(of: target) == .imgproxy
        )
        understood.insert(new, forKey: key(of: target, hints), cost: new.cost(of: target))
        return new
    }

    /// Parses a target; checks its signature, its expiry and its source.
    func rendering(of target: String, _ hints: ClientHints = .none) throws(RequestError) -> Rendering {
        let rendering = try read(target, hints)
        try rendering.delivery.check(at: configuration.timeSource.now())
        try checkSource(rendering.source)
        try checkWatermarks(of: rendering)
        return rendering
    }

    /// Checks that a rendering's watermarks are configured, or allowed sources.
    func checkWatermarks(of rendering: Rendering) throws(RequestError) {
        for source in rendering.watermarkSources {
            if let url = source.url { try checkSource(url) }
            _ = try TargetWatermark(source, configuration)
        }
    }

    private func checkSource(_ source: SourceURL) throws(RequestError) {
        try configuration.sources.check(source)
        guard source.scheme != "local" || configuration.localRoot != nil else {
            throw RequestError(
                .sourceNotAllowed,
                detail: "no folder for local sources is set, so \(source.description.quoted) cannot be loaded"
            )
        }
    }

    /// Returns the grammar whose paths a target belongs to, whether it is enabled or not.
    static func grammar(of target: String) -> ImageService.Grammar {
        if NextImageGrammar.isTarget(target) { return .nextImage }
        if CloudflareGrammar.isTarget(target) { return .cloudflare }
        return target.hasPrefix("\(thumborPrefix)/") ? .thumbor : .imgproxy
    }

    /// Returns the grammar that parses a target: without thumbor, its prefix is a signature of imgproxy.
    private func parser(of target: String) -> ImageService.Grammar {
        let grammar = Self.grammar(of: target)
        guard grammar == .thumbor, configuration.thumbor == nil, configuration.imgproxy != nil else {
            return grammar
        }
        return .imgproxy
    }

    private func read(_ target: String, _ hints: ClientHints) throws(RequestError) -> Rendering {
        let grammar = parser(of: target)
        switch grammar {
        case .nextImage:
            if let nextImage = configuration.nextImage { return try nextImage.rendering(of: target) }
        case .cloudflare:
            if let cloudflare = configuration.cloudflare { return try cloudflare.rendering(of: target) }
        case .thumbor:
            if let thumbor = configuration.thumbor {
                return try thumbor.rendering(of: String(target.dropFirst(Self.thumborPrefix.count)))
            }
        case .imgproxy:
            if let imgproxy = configuration.imgproxy { return try imgproxy.rendering(of: target, hints) }
        }
        let detail = "the grammar of \(target.quoted), \(grammar.rawValue), is disabled"
        throw RequestError(.malformedPath, detail: detail)
    }
}
