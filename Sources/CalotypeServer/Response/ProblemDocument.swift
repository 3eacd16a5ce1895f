package import Calotype
import CalotypeCore
import CalotypeLoading
import CalotypeTransforms
package import FoundationEssentials

/// A setting that an error response names.
public struct ProblemSetting: Hashable, Sendable {
    /// The name of the setting.
    public var name: String
    /// Its value, if clients may know it.
    public var value: String?

    /// Creates a setting.
    public init(name: String, value: String? = nil) {
        (self.name, self.value) = (name, value)
    }

    /// The setting in words.
    var text: String { "\(name)\(value.map { " is \($0)" } ?? "")" }
}

/// An error response for clients: a problem document (RFC 9457), or one line of text.
///
/// It consists of fixed texts only: nothing of an origin's response, no address, no path, and of the URL only
/// the name of the wrong option.
package struct ProblemDocument: Hashable, Sendable {
    package let status: Int
    /// The error code, as in ``RequestError/Code`` and `LoadError.Code`.
    package let code: String
    /// The error in one line, for people.
    package let title: String
    /// The wrong option, if there is one.
    package let option: String?
    /// The limit that was exceeded, if the service names it.
    package var setting: ProblemSetting?

    package init(status: Int, code: String, title: String, option: String? = nil) {
        (self.status, self.code, self.title, self.option) = (status, code, title, option)
    }

    package static let mediaType = "application/problem+json"

    package var json: Data {
        var text = "{\"type\":\"about:blank\",\"status\":\(status),\"title\":\"\(Self.escaped(title))\""
        text += ",\"code\":\"\(Self.escaped(code))\""
        if let option { text += ",\"option\":\"\(Self.escaped(option))\"" }
        if let setting { text += ",\"setting\":\"\(Self.escaped(setting.name))\"" }
        if let limit = setting?.value { text += ",\"limit\":\"\(Self.escaped(limit))\"" }
        return Data((text + "}\n").utf8)
    }

    /// The error as one line of text, with a line break.
    package var text: Data {
        Data("\(title)\((option ?? setting?.text).map { ": \($0)" } ?? "") (\(code))\n".utf8)
    }

    /// Whether a client accepts the document, rather than only text.
    package static func isAccepted(by accepted: AcceptHeader) -> Bool {
        accepted.explicitlyAccepts(mediaType) || accepted.explicitlyAccepts("application/json")
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case _ where scalar.value < 32: escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

extension ProblemDocument {
    /// Creates the document for a rejected URL.
    package init(_ error: RequestError) {
        let (status, title) = Self.answers[error.code] ?? (400, "Invalid URL")
        self.init(status: status, code: error.code.label, title: title, option: error.option)
    }

    /// Creates the document for an image that could not be produced.
    package init(_ error: LoadError) {
        let (status, title) = Self.response(to: error)
        self.init(status: status, code: error.code.label, title: title)
    }

    /// Creates the document for the failure of a watermark.
    ///
    /// A missing watermark is not a missing image, which caches and pages treat alike: its status is 422.
    init(ofWatermark cause: ProblemDocument) {
        self.init(
            status: cause.status < 500 ? 422 : cause.status,
            code: "watermarkFailed",
            title: "Watermark: \(cause.title)"
        )
    }

    private static let answers: [RequestError.Code: (Int, String)] = [
        .malformedPath: (404, "Malformed path"),
        .pathTooLong: (414, "URL too long"),
        .unknownOption: (404, "Unknown option"),
        .unsupportedOption: (422, "Option not supported"),
        .forbiddenOption: (403, "Option not allowed in URLs"),
        .invalidOption: (404, "Invalid option arguments"),
        .invalidSource: (404, "Invalid source URL"),
        .sourceNotAllowed: (403, "Source not allowed"),
        .invalidSignature: (403, "Invalid signature"),
        .expired: (404, "URL expired"),
        .unsupportedFormat: (422, "Output format not supported"),
        .invalidToken: (401, "Upload token required"),
        .bodyTooLarge: (413, "Request body too long"),
    ]

    private static func response(to error: LoadError) -> (Int, String) {
        switch (error.code, error.fault) {
        // Not a failure of the service: it has no codec for the image, and will have none the next time.
        case _ where (error.underlying as? DecodeError)?.code == .unsupportedFeature:
            (422, "Source format not supported")
        // The same for a transform, which this build lacks.
        case _ where (error.underlying as? TransformError)?.code == .unsupportedFeature:
            (422, "Image cannot be processed as requested")
        case _ where error.exceededWorkTime: (422, "Image takes too long to process")
        case _ where lacksWorker(error): (503, "Service overloaded; retry later")
        // A reload has replaced the credentials of the origin during the load.
        case _ where (error.underlying as? FetchError)?.code == .identityChanged:
            (503, "Settings have changed; retry")
        case (.addressRefused, _): (403, "Source not allowed")
        case (.timedOut, .origin?): (504, "Source timed out")
        case (.timedOut, _): (503, "Request timed out")
        case (.overloaded, _): (503, "Service overloaded; retry later")
        case (.fileNotFound, _): (404, "Source not found")
        case (.invalidURL, _): (404, "Invalid source URL")
        case (_, .origin?): originAnswer(error.httpStatus)
        case (_, .input?): (422, "Source is not a readable image")
        case (_, .limit?): (422, "Image exceeds a limit")
        case (_, .caller?): (422, "Image cannot be processed as requested")
        default: (500, "Internal error")
        }
    }

    /// Whether no worker or thread was available in time; a later request may succeed.
    private static func lacksWorker(_ error: LoadError) -> Bool {
        (error.underlying as? DecodeError).map { [.workerUnavailable, .refused].contains($0.code) } ?? false
            || (error.underlying as? EncodeError)?.code == .workerUnavailable
            || (error.underlying as? TransformError)?.code == .workerUnavailable
    }

    /// A missing source is missing for the client too; other origin errors are gateway errors.
    private static func originAnswer(_ status: Int?) -> (Int, String) {
        switch status {
        case 404: (404, "Source not found")
        case 410: (410, "Source gone")
        default: (502, "Source unavailable")
        }
    }
}

extension LoadError {
    /// Whether processing exceeded the time limit of one job, which it will again.
    var exceededWorkTime: Bool {
        (underlying as? DecodeError)?.code == .timedOut || (underlying as? EncodeError)?.code == .timedOut
            || (underlying as? TransformError)?.code == .timedOut
    }
}
