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
            let (grammar, path) = Self.grammar(of: target)
            told.append(("grammar", grammar.rawValue))
            let (given, rest) = Self.parts(of: path)
            let signed = try signed(given, rest, grammar)
            told.append(("signed", signed.text))
            told.append(("signature", signed.describe(given)))
            let place = grammar == .thumbor ? Self.thumborPlace : ""
            let asked = try rendering(of: "\(place)/unsafe\(rest)", unsigned)
            if isInfo {
                told.append(("exif", infoText(asked.description)))
            } else {
                try asked.checkIsImage()
            }
            told += Self.lines(about: asked)
            try checkAddress(of: try rendering(of: target, settings.service).source)
            told.append(("answer", "is served"))
            return (told, false)
        } catch {
            let problem = ProblemDocument(error)
            told.append(("answer", "\(problem.status) \(problem.title) (\(error))"))
            return (told, true)
        }
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
        return String(target.dropFirst(prefix.count).prefix { $0 != "?" })
    }

    private func infoText(_ options: DescriptionOptions) -> String {
        guard options.includesExif else { return "not included" }
        return settings.service.describesLocation
            ? "included, with the position" : "included, without the position"
    }

    private static let thumborPlace = "/thumbor"
    private static let infoPlace = "/info"

    private static func grammar(of target: String) -> (ImageService.Grammar, String) {
        guard target.hasPrefix("\(thumborPlace)/") else { return (.imgproxy, target) }
        return (.thumbor, String(target.dropFirst(thumborPlace.count)))
    }

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
            detail: "the \(grammar.rawValue) grammar is off, since only the other one has a key"
        )
    }

    /// Rejects a literal address that the service does not connect to; host names are checked when loaded.
    private func checkAddress(of source: SourceURL) throws(RequestError) {
        guard settings.sources.addresses.refusesHost(source.host) else { return }
        throw RequestError(
            .sourceNotAllowed,
            detail: "\(source.host) is not a public Internet address; set allow-private-sources"
        )
    }

    /// Parses a target as a service would; the pipeline has no loader and no cache.
    private func rendering(
        of target: String,
        _ configuration: ImageService.Configuration
    ) throws(RequestError) -> Rendering {
        let nothing = ImagePipeline(.init(cache: ImageCache(), loader: RoutingLoader([:])))
        return try ImageService(pipeline: nothing, configuration: configuration).rendering(of: target)
    }

    /// The service without keys, and with every source allowed.
    private var unsigned: ImageService.Configuration {
        var configuration = settings.service
        configuration.imgproxy?.signature = ImgproxySignature(keys: [])
        configuration.thumbor?.signature = ThumborSignature(keys: [])
        configuration.sources = SourcePolicy()
        configuration.sources.includesLocalFiles = true
        return configuration
    }

    private static func lines(about rendering: Rendering) -> [(String, String)] {
        var lines = [("source", rendering.source.description)]
        let steps = rendering.stepSummaries
        lines.append(
            ("steps", steps.isEmpty ? "none: the original image" : steps.joined(separator: ", "))
        )
        switch rendering.output {
        case .negotiated: lines.append(("format", "the best one the client accepts, else the original's"))
        case .format(let format): lines.append(("format", format.rawValue))
        case .original: lines.append(("format", "the original, unchanged"))
        }
        if let pages = rendering.pages {
            let last = pages.first + pages.count - 1
            let text = pages.count == 1 ? "\(pages.first)" : "\(pages.first) to \(last), stacked"
            lines.append(("pages", "\(text), counted from 0"))
        }
        if let quality = rendering.quality.quality { lines.append(("quality", "\(quality)")) }
        if let count = rendering.quality.maxByteCount { lines.append(("bytes", "at most \(count)")) }
        if let expires = rendering.delivery.expires { lines.append(("until", "\(expires)")) }
        if let name = rendering.delivery.fileName { lines.append(("file name", name)) }
        return lines
    }
}
