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

    /// Writes what is understood of a URL.
    ///
    /// - Returns: Failure where the service would refuse it.
    func explain(_ url: String, to console: Console) async throws -> ProgramStatus {
        let lines = lines(about: url)
        for (what, text) in lines.told {
            // A signed path is used as it stands.
            let shown = what == "signed" ? text : SafeText.withoutCredentials(text)
            let record = Record([("what", .text(what)), ("text", .text(shown))])
            try await console.write(record, as: Self.columns)
        }
        return lines.isRefused ? .failure : .success
    }

    /// What there is to tell of a URL, and whether it is refused.
    func lines(about url: String) -> (told: [(String, String)], isRefused: Bool) {
        var told: [(String, String)] = []
        do throws(RequestError) {
            var target = try target(of: url)
            if target.hasPrefix("\(Self.infoPlace)/") {
                target = String(target.dropFirst(Self.infoPlace.count))
                told.append(("asked for", "what is known of the original; options change nothing"))
            }
            let (grammar, path) = Self.grammar(of: target)
            told.append(("grammar", grammar.rawValue))
            let (given, rest) = Self.parts(of: path)
            let signed = try signed(given, rest, grammar)
            told.append(("signed", signed.text))
            told.append(("signature", signed.describe(given)))
            let place = grammar == .thumbor ? Self.thumborPlace : ""
            told += Self.lines(about: try rendering(of: "\(place)/unsafe\(rest)", unsigned))
            try checkAddress(of: try rendering(of: target, settings.service).source)
            told.append(("answer", "is given"))
            return (told, false)
        } catch {
            let problem = ProblemDocument(error)
            told.append(("answer", "\(problem.status) \(problem.title) (\(error))"))
            return (told, true)
        }
    }

    /// The part of a URL that the request line has, below the path of the service.
    private func target(of url: String) throws(RequestError) -> String {
        var target = url[...]
        if let scheme = url.firstRange(of: "://"), url.hasPrefix("http"), url.first != "/" {
            target = url[scheme.upperBound...].drop { $0 != "/" }
        }
        let prefix = settings.listeners.pathPrefix
        guard target.hasPrefix("\(prefix)/") else {
            throw RequestError(.malformedPath, detail: "the path does not begin with “\(prefix)/”")
        }
        return String(target.dropFirst(prefix.count).prefix { $0 != "?" })
    }

    private static let thumborPlace = "/thumbor"
    private static let infoPlace = "/info"

    private static func grammar(of target: String) -> (ImageService.Grammar, String) {
        guard target.hasPrefix("\(thumborPlace)/") else { return (.imgproxy, target) }
        return (.thumbor, String(target.dropFirst(thumborPlace.count)))
    }

    /// The signature, and what stands behind it with its leading `/`.
    private static func parts(of path: String) -> (given: String, rest: String) {
        let given = path.dropFirst().prefix { $0 != "/" }
        return (String(given), String(path.dropFirst(given.count + 1)))
    }

    /// What is signed, and how.
    private struct Signed {
        let text: String
        /// That of the first key.
        let signature: String
        let isRequired: Bool
        /// Whether the service takes the one that is given.
        let isGood: Bool

        func describe(_ given: String) -> String {
            guard isRequired else { return "not needed; there is no key" }
            return isGood ? "right" : "wrong: \(given); it would be \(signature)"
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
            detail: "there are no URLs of \(grammar.rawValue)'s grammar: it has no key, and the other one has"
        )
    }

    /// Refuses an address that the service does not connect to; one of a name is known when it is loaded.
    private func checkAddress(of source: SourceURL) throws(RequestError) {
        guard settings.sources.addresses.refusesHost(source.host) else { return }
        throw RequestError(
            .sourceNotAllowed,
            detail: "\(source.host) is no address of the public Internet: set allow-private-sources"
        )
    }

    /// What a service would take a target for; it has nothing to load or keep with.
    private func rendering(
        of target: String,
        _ configuration: ImageService.Configuration
    ) throws(RequestError) -> Rendering {
        let nothing = ImagePipeline(.init(cache: ImageCache(), loader: RoutingLoader([:])))
        return try ImageService(pipeline: nothing, configuration: configuration).rendering(of: target)
    }

    /// The service as it would be without keys, and with every source allowed.
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
            ("steps", steps.isEmpty ? "none: the picture as it is" : steps.joined(separator: ", "))
        )
        switch rendering.output {
        case .negotiated: lines.append(("format", "the best of what the client takes, else the original's"))
        case .format(let format): lines.append(("format", format.rawValue))
        case .original: lines.append(("format", "the original's own bytes"))
        }
        if let quality = rendering.quality.quality { lines.append(("quality", "\(quality)")) }
        if let count = rendering.quality.byteCountMax { lines.append(("bytes", "at most \(count)")) }
        if let expires = rendering.delivery.expires { lines.append(("until", "\(expires)")) }
        if let name = rendering.delivery.fileName { lines.append(("file name", name)) }
        return lines
    }
}
