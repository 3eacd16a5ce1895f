import Calotype
import CalotypeCache
import CalotypeCore
import CalotypeLoading
import CalotypeServer
import CalotypeTransforms
import Foundation

/// Explains a URL of the service, without loading anything.
struct URLCheck {
    private let settings: ServeSettings
    private static let columns = Table(
        columns: [Table.Column("what", "what", width: 12), Table.Column("it is", "text", width: 40)],
        hasHeader: false
    )

    init(_ settings: ServeSettings) {
        self.settings = settings
    }

    /// Prints the interpretation of a URL.
    ///
    /// - Returns: Failure if the service would reject it.
    func explain(_ url: String, to console: Console) async throws -> CommandExitCode {
        let lines = lines(about: url)
        for (what, text) in lines.told {
            // A signed path is printed unchanged, since it is used as printed.
            let shown = what == "signed" ? text : SafeText.withoutCredentials(text)
            let record = Record([("what", .text(what)), ("text", .text(shown))])
            try await console.write(record, as: Self.columns)
        }
        return lines.isRefused ? .failure : .success
    }

    /// Returns the lines about a URL, and whether it is rejected.
    func lines(about url: String) -> (told: [(String, String)], isRefused: Bool) {
        var told: [(String, String)] = []
        do throws(RequestError) {
            var target = try target(of: url)
            let isInfo = target.hasPrefix("\(Self.infoPlace)/")
            if isInfo {
                target = String(target.dropFirst(Self.infoPlace.count))
                let exceptions = "options are ignored, except exif"
                told.append(("asked for", "a description of the original; \(exceptions)"))
            }
            let grammar = ImageService.grammar(of: target)
            told.append(("grammar", grammar.rawValue))
            guard grammar == .imgproxy || grammar == .thumbor else {
                try tellGuarded(target, grammar, &told)
                return (told, false)
            }
            target = String(target.prefix { $0 != "?" })
            let place = grammar == .thumbor ? Self.thumborPlace : ""
            let (given, rest) = Self.parts(of: String(target.dropFirst(place.count)))
            let signed = try signed(given, rest, grammar)
            told.append(("signed", signed.text))
            told.append(("signature", signed.describe(given)))
            told += Self.lines(about: explained(signed.text, grammar))
            if grammar == .imgproxy, !isInfo, settings.service.uploads != nil, Self.isUpload(rest) {
                try tellUpload(target, rest, isSigned: signed.isRequired && signed.isGood, &told)
                return (told, false)
            }
            let shown = try rendering(of: "\(place)/unsafe\(rest)", unsigned)
            if isInfo {
                told.append(("exif", infoText(shown.description)))
            } else {
                try shown.checkIsImage()
            }
            told += Self.lines(about: shown) + credentials(for: shown.source)
            let rendering = try rendering(of: target, settings.service)
            try checkAddresses(of: [rendering.source] + rendering.watermarkSources.compactMap(\.url))
            told.append(("answer", "is served"))
            return (told, false)
        } catch {
            let problem = ProblemDocument(error)
            told.append(("answer", "\(problem.status) \(problem.title) (\(error))"))
            return (told, true)
        }
    }

    /// Adds the lines about a URL of a grammar without signatures.
    private func tellGuarded(
        _ target: String,
        _ grammar: ImageService.Grammar,
        _ told: inout [(String, String)]
    ) throws(RequestError) {
        told.append(("signature", "not needed; widths and allowed-sources limit the URLs"))
        if grammar == .nextImage, let nextImage = settings.service.nextImage {
            told += Self.lines(about: nextImage.explainedOptions(of: target))
        } else if let cloudflare = settings.service.cloudflare {
            told += Self.lines(about: try cloudflare.explainedOptions(of: target))
        }
        let rendering = try rendering(of: target, settings.service)
        told += Self.lines(about: rendering) + credentials(for: rendering.source)
        try checkAddresses(of: [rendering.source])
        told.append(("answer", "is served"))
    }

    private static func isUpload(_ path: String) -> Bool {
        let end = "/plain/\(ImgproxyGrammar.uploadSource)"
        return path.hasSuffix(end) || path.contains("\(end)@")
    }

    /// Adds the lines about the path of an upload.
    private func tellUpload(
        _ target: String,
        _ rest: String,
        isSigned: Bool,
        _ told: inout [(String, String)]
    ) throws(RequestError) {
        let service = service(settings.service)
        let shown = "/unsafe\(rest)"
        let rendering = try self.service(unsigned).rendering(ofUpload: shown, isAuthorized: true)
        told += Self.lines(about: rendering).filter { $0.0 != "source" }
        told.append(("source", "the body of a POST"))
        let hasToken = settings.service.uploads?.token != nil
        let needsToken = !isSigned && hasToken
        _ = try service.rendering(ofUpload: needsToken ? shown : target, isAuthorized: needsToken)
        try checkAddresses(of: rendering.watermarkSources.compactMap(\.url))
        told.append(("answer", isSigned ? "a POST is served" : "a POST with the upload-token is served"))
    }

    /// Returns the explanations of the options of a signed text.
    private func explained(_ text: String, _ grammar: ImageService.Grammar) -> [ExplainedOption] {
        grammar == .thumbor
            ? settings.service.thumbor?.explainedOptions(of: text) ?? []
            : settings.service.imgproxy?.explainedOptions(of: text) ?? []
    }

    private static func lines(about options: [ExplainedOption]) -> [(String, String)] {
        options.map { ("option", "\($0.option) = \($0.explanation)") }
    }

    /// Returns the path of a URL in the request line, below the path prefix.
    private func target(of url: String) throws(RequestError) -> String {
        var target = url[...]
        if let scheme = url.firstRange(of: "://"), url.hasPrefix("http"), url.first != "/" {
            target = url[scheme.upperBound...].drop { $0 != "/" }
        }
        let prefix = settings.listeners.pathPrefix
        guard target.hasPrefix("\(prefix)/") else {
            throw RequestError(.malformedPath, detail: "the path must begin with “\(prefix)/”")
        }
        return String(target.dropFirst(prefix.count))
    }

    private func infoText(_ options: DescriptionOptions) -> String {
        guard options.includesExif else { return "not included" }
        return settings.service.describesLocation
            ? "included, with the position" : "included, without the position"
    }

    private static let thumborPlace = "/thumbor"
    private static let infoPlace = "/info"

    /// Returns the signature, and the rest of the path with its leading `/`.
    private static func parts(of path: String) -> (given: String, rest: String) {
        let given = path.dropFirst().prefix { $0 != "/" }
        return (String(given), String(path.dropFirst(given.count + 1)))
    }

    /// A signed text and the verdict on the given signature.
    private struct Signed {
        let text: String
        /// The signature made with the first key.
        let signature: String
        let isRequired: Bool
        /// Whether the service accepts the given signature.
        let isGood: Bool

        func describe(_ given: String) -> String {
            guard isRequired else { return "not needed; no key is set" }
            return isGood ? "right" : "wrong: \(given); expected \(signature)"
        }
    }

    private func signed(
        _ given: String,
        _ rest: String,
        _ grammar: ImageService.Grammar
    ) throws(RequestError) -> Signed {
        switch grammar {
        case .imgproxy:
            guard let imgproxy = settings.service.imgproxy else { throw Self.absent(grammar) }
            let (signature, text) = Self.parts(of: try imgproxy.signed(rest))
            return Signed(
                text: text,
                signature: signature,
                isRequired: imgproxy.signature.isRequired,
                isGood: Self.passes { () throws(RequestError) in
                    try imgproxy.signature.check(given, of: text)
                }
            )
        case .thumbor:
            guard let thumbor = settings.service.thumbor else { throw Self.absent(grammar) }
            let (signature, path) = Self.parts(of: thumbor.signed(rest))
            let text = String(path.dropFirst())
            return Signed(
                text: text,
                signature: signature,
                isRequired: thumbor.signature.isRequired,
                isGood: Self.passes { () throws(RequestError) in
                    try thumbor.signature.check(given, of: text)
                }
            )
        case .nextImage, .cloudflare: throw Self.absent(grammar)
        }
    }

    private static func passes(_ check: () throws(RequestError) -> Void) -> Bool {
        do throws(RequestError) {
            try check()
            return true
        } catch {
            return false
        }
    }

    private static func absent(_ grammar: ImageService.Grammar) -> RequestError {
        RequestError(
            .malformedPath,
            detail: "the \(grammar.rawValue) grammar is off, since only others have a key or a guard"
        )
    }

    /// Rejects literal addresses that the service does not connect to; host names are checked when loaded.
    private func checkAddresses(of sources: [SourceURL]) throws(RequestError) {
        for source in sources where settings.sources.addresses.refusesHost(source.host) {
            throw RequestError(
                .sourceNotAllowed,
                detail: "\(source.host) is not a public Internet address; set allow-private-sources"
            )
        }
    }

    /// Returns a line about the credentials sent to a source's origin, without their values.
    private func credentials(for source: SourceURL) -> [(String, String)] {
        let origins = settings.sources.origins
        guard !origins.isEmpty, source.scheme != "local" else { return [] }
        let byPattern = origins.map { ($0.pattern, $0) }
        let found = OriginMap(Dictionary(uniqueKeysWithValues: byPattern)).value(for: source.url)
        let text = found.map { "\($0.summary) (origins: \($0.pattern))" }
        return [("credentials", text ?? "none: no pattern of origins matches")]
    }

    /// Parses a target as a service would.
    private func rendering(
        of target: String,
        _ configuration: ImageService.Configuration
    ) throws(RequestError) -> Rendering {
        try service(configuration).rendering(of: target)
    }

    /// Returns a service that only parses: its pipeline has no loader and no cache.
    private func service(_ configuration: ImageService.Configuration) -> ImageService {
        let nothing = ImagePipeline(.init(cache: ImageCache(), loader: RoutingLoader([:])))
        return ImageService(pipeline: nothing, configuration: configuration)
    }

    /// The service without keys, and with every source allowed.
    private var unsigned: ImageService.Configuration {
        var configuration = settings.service
        // Only URLs without a signature are rounded.
        if configuration.imgproxy?.signature.isRequired == true { configuration.imgproxy?.widths = nil }
        if configuration.thumbor?.signature.isRequired == true { configuration.thumbor?.widths = nil }
        configuration.imgproxy?.signature = ImgproxySignature(keys: [])
        configuration.thumbor?.signature = ThumborSignature(keys: [])
        configuration.sources = SourcePolicy()
        configuration.sources.includesLocalFiles = true
        return configuration
    }
}
