import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import Foundation

/// The names of the files of a batch: made from their sources, independent of their order.
struct OutputNames: Hashable, Sendable {
    /// The most bytes of a name without its extension; file systems take 255 with it.
    private static let byteCountMax = 200

    private let sources: [BatchSource]
    private let template: NameTemplate
    /// Which sources get a digest, since others would have the same name.
    private let clashing: [Bool]

    /// Names for sources in the order of the list.
    ///
    /// If two would be equal, both get a digest of their source.
    init(for sources: [BatchSource], template: NameTemplate = .plain) {
        self.sources = sources
        self.template = template
        let names = sources.enumerated().map { index, source in
            (source.folder + "/" + Self.name(source, template, index, sources.count, [:])).lowercased()
        }
        // Two normal forms of one name are equal texts here, as some file systems have it, and two sources.
        var addresses: [String: Set<[UInt8]>] = [:]
        for (name, source) in zip(names, sources) {
            addresses[name, default: []].insert(PathBytes.bytes(of: source.address))
        }
        clashing = names.map { (addresses[$0]?.count ?? 0) > 1 }
    }

    /// Whether a name is known before its image is.
    var areKnown: Bool { !template.needsImage }

    /// The path of a file below the output's folder, without its extension.
    ///
    /// - Parameters:
    ///   - index: The number of its source in the list.
    ///   - info: What is known of the result; needed where the template has its size or format.
    /// - Returns: The path.
    func path(at index: Int, _ info: ImageInfo? = nil) -> String {
        var values: [NameTemplate.Field: String] = [:]
        if let info {
            values[.width] = "\(info.displaySize.width)"
            values[.height] = "\(info.displaySize.height)"
            values[.format] = info.format.rawValue
        }
        let source = sources[index]
        var name = Self.name(source, template, index, sources.count, values)
        if clashing[index] { name += "-" + Self.digest(source.address) }
        return source.folder.isEmpty ? name : source.folder + "/" + name
    }

    private static func name(
        _ source: BatchSource,
        _ template: NameTemplate,
        _ index: Int,
        _ count: Int,
        _ values: [NameTemplate.Field: String]
    ) -> String {
        var values = values
        values[.name] = stem(of: source.address)
        values[.digest] = digest(source.address)
        let number = String(index + 1)
        values[.number] = String(repeating: "0", count: String(count).count - number.count) + number
        let name = cut(template.text(values))
        return name.isEmpty ? "image" : name
    }

    /// Eight hexadecimal digits that are always the same for an address.
    private static func digest(_ address: String) -> String {
        var digest = MessageDigest.sha256()
        digest.update(PathBytes.bytes(of: address).span)
        return String(digest.finalize().hexadecimalDigits.prefix(8))
    }

    /// The last part of the address without its extension.
    private static func stem(of address: String) -> String {
        guard BatchSource.isURL(address) else { return withoutExtension(FilePlace.split(address).name) }
        if address.lowercased().hasPrefix("data:") { return "data" }
        let rest = address.drop { $0 != ":" }.dropFirst().prefix { $0 != "?" && $0 != "#" }
        var parts = rest.split(separator: "/").map(String.init)
        guard !rest.hasPrefix("//") || parts.count > 1 else { return safe(hostName(parts.first ?? "")) }
        let last = String(decoding: percentDecoded((parts.popLast() ?? "").utf8), as: UTF8.self)
        let name = last.split(separator: "/").last.map(String.init) ?? ""
        return safe(withoutExtension(name))
    }

    private static func hostName(_ authority: String) -> String {
        String(authority.split(separator: "@").last ?? "")
    }

    private static func withoutExtension(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), name != ".", name != ".." else {
            return [".", ".."].contains(name) ? "" : name
        }
        return String(name[..<dot])
    }

    /// A name from a URL with only what every file system takes.
    private static func safe(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: "_"
            default: "/\\:*?\"<>|\u{FFFD}".unicodeScalars.contains(scalar) ? "_" : scalar
            }
        }
        return String(String(String.UnicodeScalarView(scalars)).drop { $0 == "." || $0 == " " })
    }

    private static func cut(_ name: String) -> String {
        guard PathBytes.bytes(of: name).count > byteCountMax else { return name }
        var byteCount = 0
        return String(
            name.prefix { character in
                byteCount += String(character).utf8.count
                return byteCount <= byteCountMax
            }
        )
    }
}
