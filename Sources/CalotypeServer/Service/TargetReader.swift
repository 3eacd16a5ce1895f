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
    func known(_ target: String) -> ParsedTarget? { understood[ImageKey(target)] }

    /// Parses a target, or returns the cached result.
    func understand(_ target: String) throws(RequestError) -> ParsedTarget {
        if let known = known(target) {
            try known.rendering.delivery.check(at: configuration.timeSource.now())
            return known
        }
        let new = try ParsedTarget(try rendering(of: target), configuration)
        understood.insert(new, forKey: ImageKey(target), cost: new.cost(of: target))
        return new
    }

    /// Parses a target; checks its signature, its expiry and its source.
    func rendering(of target: String) throws(RequestError) -> Rendering {
        let rendering = try read(target)
        try rendering.delivery.check(at: configuration.timeSource.now())
        try checkSource(rendering.source)
        for source in rendering.watermarkSources {
            if let url = source.url { try checkSource(url) }
            _ = try TargetWatermark(source, configuration)
        }
        return rendering
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

    private func read(_ target: String) throws(RequestError) -> Rendering {
        if let thumbor = configuration.thumbor, target.hasPrefix("\(Self.thumborPrefix)/") {
            return try thumbor.rendering(of: String(target.dropFirst(Self.thumborPrefix.count)))
        }
        guard let imgproxy = configuration.imgproxy else {
            throw RequestError(.malformedPath, detail: "no grammar is enabled for \(target.quoted)")
        }
        return try imgproxy.rendering(of: target)
    }
}
