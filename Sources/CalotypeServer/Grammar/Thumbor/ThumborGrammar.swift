import CalotypeCore
import CalotypeTransforms

/// URLs of thumbor: `/{signature}/{crop}/{fit-in}/{size}/…/filters:…/{source}`.
///
/// An option of the grammar that this service does not support is an error that names it; so is a filter with
/// invalid arguments, which thumbor ignores. Images are turned upright.
public struct ThumborGrammar: Hashable, Sendable {
    /// The verification of signatures.
    public var signature: ThumborSignature

    /// The scheme of sources without one; `http` unless set.
    public var defaultScheme = "http"

    /// The widths that unsigned URLs are rounded up to; `nil`, the default, allows all.
    public var widths: AllowedWidths?

    /// Limits on URLs.
    package var limits = GrammarLimits()

    /// Creates a grammar; each default is stated at its property.
    ///
    /// - Parameter signature: The verification of signatures.
    public init(signature: ThumborSignature = ThumborSignature(keys: [])) {
        self.signature = signature
    }

    /// Parses a URL.
    ///
    /// - Parameter target: The path below the prefix of the grammar, as received: percent-encoded, with a
    ///   leading `/`.
    /// - Returns: The rendering.
    /// - Throws: ``RequestError``; with `invalidSignature` before anything else is parsed.
    package func rendering(of target: String) throws(RequestError) -> Rendering {
        guard target.utf8.count <= limits.maxPathByteCount else {
            throw RequestError(
                .pathTooLong,
                detail: "the path has \(target.utf8.count) bytes; use at most \(limits.maxPathByteCount)"
            )
        }
        let path = target.prefix(before: UInt8(ascii: "?"))
        guard path.utf8.first == UInt8(ascii: "/"), path.bytes.allSatisfy({ $0 > 32 && $0 != 127 }) else {
            throw RequestError(.malformedPath, detail: "\(path.quoted) is not a path")
        }
        let signed = path[path.utf8.index(after: path.startIndex)...]
        let first = signed.prefix(before: UInt8(ascii: "/"))
        let slash = first.endIndex
        let rest = slash < signed.endIndex ? signed[signed.utf8.index(after: slash)...] : ""
        guard !first.isEmpty, !rest.isEmpty else {
            throw RequestError(.malformedPath, detail: "\(path.quoted) has nothing after the signature")
        }
        try signature.check(first, of: String(rest))
        var parts = ThumborPath(rest, limits, signature.isRequired ? nil : widths)
        return try parts.rendering(defaultScheme: defaultScheme)
    }

    /// Returns the path with its signature by the first key, or with `unsafe` if there is no key.
    ///
    /// - Parameter path: The path after the signature, percent-encoded; a leading `/` and a query are
    ///   ignored.
    /// - Returns: The path.
    public func signed(_ path: String) -> String {
        let path = String(path.drop { $0 == "/" }.prefix(before: UInt8(ascii: "?")))
        return "/\(signature.signature(of: path) ?? "unsafe")/\(path)"
    }
}
