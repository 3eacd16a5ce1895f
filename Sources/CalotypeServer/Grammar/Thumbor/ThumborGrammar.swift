import CalotypeCore
import CalotypeTransforms

/// URLs as they are made for thumbor: `/{signature}/{crop}/{fit-in}/{size}/…/filters:…/{source}`.
///
/// What the grammar has and this service does not is an error that names it; so is a filter with wrong
/// arguments, which thumbor leaves out. Pictures are turned upright.
public struct ThumborGrammar: Hashable, Sendable {
    /// How URLs are signed.
    public var signature: ThumborSignature

    /// What stands before a source without a scheme; `http` unless set.
    public var defaultScheme = "http"

    /// How much of a URL is read.
    public var limits = GrammarLimits()

    /// Creates a grammar; each default is stated at its property.
    ///
    /// - Parameter signature: How URLs are signed.
    public init(signature: ThumborSignature = ThumborSignature(keys: [])) {
        self.signature = signature
    }

    /// What a URL asks for.
    ///
    /// - Parameter target: What the request line asks for below the place where the grammar is mounted, as it
    ///   came: percent-encoded, with a leading `/`.
    /// - Returns: The rendering.
    /// - Throws: ``RequestError``; with `invalidSignature` before anything else is looked at.
    public func rendering(of target: String) throws(RequestError) -> Rendering {
        guard target.utf8.count <= limits.pathByteCountMax else {
            throw RequestError(.pathTooLong, detail: "\(target.utf8.count) bytes of path")
        }
        let path = target.prefix(before: UInt8(ascii: "?"))
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else {
            throw RequestError(.malformedPath, detail: "\(path.quoted) is no path")
        }
        let signed = path[path.utf8.index(after: path.startIndex)...]
        let first = signed.prefix(before: UInt8(ascii: "/"))
        let slash = first.endIndex
        let rest = slash < signed.endIndex ? signed[signed.utf8.index(after: slash)...] : ""
        guard !first.isEmpty, !rest.isEmpty else {
            throw RequestError(.malformedPath, detail: "\(path.quoted) has nothing behind a signature")
        }
        try signature.check(first, of: String(rest))
        var parts = ThumborPath(rest, limits)
        return try parts.rendering(defaultScheme: defaultScheme)
    }

    /// The URL's path with its signature: that of the first key, or `unsafe` where there is none.
    ///
    /// - Parameter path: All that stands behind it, percent-encoded; a leading `/` is left out of account.
    /// - Returns: The path.
    public func signed(_ path: String) -> String {
        let path = String(path.drop { $0 == "/" })
        return "/\(signature.signature(of: path) ?? "unsafe")/\(path)"
    }
}
