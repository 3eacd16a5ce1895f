public import Calotype
import CalotypeCore
import CalotypeTransforms
public import FoundationEssentials

/// What a client is told of a failure: a problem document (RFC 9457), or one line of text.
///
/// Made of fixed words alone: nothing of an origin's answer, no address and no path gets into it, and of the
/// URL no more than the name of the option that is wrong.
public struct ProblemDocument: Hashable, Sendable {
    /// The status of HTTP.
    public let status: Int
    /// The fixed word for what is wrong, as ``RequestError/Code`` and `LoadError.Code` have it.
    public let code: String
    /// What is wrong, for people, on one line.
    public let title: String
    /// The option that is wrong, where it is one.
    public let option: String?

    /// Creates a document.
    public init(status: Int, code: String, title: String, option: String? = nil) {
        (self.status, self.code, self.title, self.option) = (status, code, title, option)
    }

    /// The media type of ``json``.
    public static let mediaType = "application/problem+json"

    /// The document.
    public var json: Data {
        var text = "{\"type\":\"about:blank\",\"status\":\(status),\"title\":\"\(Self.escaped(title))\""
        text += ",\"code\":\"\(Self.escaped(code))\""
        if let option { text += ",\"option\":\"\(Self.escaped(option))\"" }
        return Data((text + "}\n").utf8)
    }

    /// The same on one line, with its end.
    public var text: Data {
        Data("\(title)\(option.map { ": \($0)" } ?? "") (\(code))\n".utf8)
    }

    /// Whether a client takes the document, and not only a line of text.
    public static func isTaken(by accepted: AcceptedTypes) -> Bool {
        accepted.names(mediaType) || accepted.names("application/json")
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
    /// What is told of a URL that asks for nothing that can be given.
    public init(_ error: RequestError) {
        let (status, title) = Self.answers[error.code] ?? (400, "The URL cannot be understood")
        self.init(status: status, code: error.code.label, title: title, option: error.option)
    }

    /// What is told of a picture that could not be made.
    public init(_ error: LoadError) {
        let (status, title) = Self.answer(to: error)
        self.init(status: status, code: error.code.label, title: title)
    }

    private static let answers: [RequestError.Code: (Int, String)] = [
        .malformedPath: (404, "The path has not the parts that it needs"),
        .pathTooLong: (414, "The URL is too long"),
        .unknownOption: (404, "There is no such option"),
        .unsupportedOption: (422, "This service does not have the option"),
        .forbiddenOption: (403, "The option may not be set by a URL"),
        .invalidOption: (404, "The option's arguments are wrong"),
        .invalidSource: (404, "The source's URL cannot be understood"),
        .sourceNotAllowed: (403, "The source is not allowed"),
        .invalidSignature: (403, "The signature is wrong"),
        .expired: (404, "The URL has expired"),
        .unsupportedFormat: (422, "The format cannot be made"),
    ]

    private static func answer(to error: LoadError) -> (Int, String) {
        switch (error.code, error.fault) {
        // The service has not failed: it has no codec for the picture, and will have none the next time.
        case _ where (error.underlying as? DecodeError)?.code == .unsupportedFeature:
            (422, "The source is of a kind that is not read here")
        case _ where error.exceededWorkTime: (422, "The picture takes too long to make")
        case _ where lacksWorker(error): (503, "Too many requests wait already")
        case (.addressRefused, _): (403, "The source is not allowed")
        case (.timedOut, .origin?): (504, "The source took too long")
        case (.timedOut, _): (503, "The picture took too long")
        case (.overloaded, _): (503, "Too many requests wait already")
        case (.fileNotFound, _): (404, "There is no such source")
        case (.invalidURL, _): (404, "The source's URL cannot be understood")
        case (_, .origin?): originAnswer(error.httpStatus)
        case (_, .input?): (422, "The source is no picture that can be read")
        case (_, .limit?): (422, "The picture is beyond a limit")
        case (_, .caller?): (422, "The picture cannot be made so")
        default: (500, "The service has failed")
        }
    }

    /// Whether there was no worker or thread for the picture in time; there may be one for the next.
    private static func lacksWorker(_ error: LoadError) -> Bool {
        (error.underlying as? DecodeError).map { [.workerUnavailable, .refused].contains($0.code) } ?? false
            || (error.underlying as? EncodeError)?.code == .workerUnavailable
            || (error.underlying as? TransformError)?.code == .workerUnavailable
    }

    /// What is not there for the service is not there for the client; all else lies between the two.
    private static func originAnswer(_ status: Int?) -> (Int, String) {
        switch status {
        case 404: (404, "There is no such source")
        case 410: (410, "The source is gone")
        default: (502, "The source cannot be had")
        }
    }
}

extension LoadError {
    /// Whether making the picture took longer than one job may, which it will again.
    var exceededWorkTime: Bool {
        (underlying as? DecodeError)?.code == .timedOut || (underlying as? EncodeError)?.code == .timedOut
            || (underlying as? TransformError)?.code == .timedOut
    }
}
