import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import Foundation

/// The file names of a batch: derived from the sources, independent of their order.
///
/// A name includes a digest of its source if another source of the list would have the same name.
struct OutputNames: Hashable, Sendable {
    /// The maximum bytes of a name without its extension; file systems allow 255 with it.
    private static let maxByteCount = 200

    private let sources: [BatchSource]
    private let template: NameTemplate
    /// The normal form of each source; equal for all spellings of one file.
    private let identities: [String]
    /// The indices of sources whose names have a digest.
    private var digested: Set<Int> = []
    /// For each source, the index of the first one that is the same file and has the same name.
    private(set) var originals: [Int] = []

    /// Creates names for sources in list order; blocks.
    ///
    /// - Parameters:
    ///   - sources: The sources.
    ///   - template: The template of the names.
    ///   - place: The output folder. The name of an input in it is not a clash, since that output is
    ///     rejected.
    ///   - format: The formats of the files, if known: names that differ in their extension do not clash.
    init(
        for sources: [BatchSource],
        template: NameTemplate = .plain,
        in place: String? = nil,
        format: ResultFormat = ResultFormat(requested: nil, own: .open)
    ) {
        (self.sources, self.template) = (sources, template)
        identities = sources.map(\.normalForm)
        var protected: ProtectedFiles?
        var known: Set<Int> = []
        while true {
            // Compared as some file systems do: ignoring case and normal forms.
            let groups = Dictionary(grouping: sources.indices) { path(at: $0).lowercased() }.values
            var clashing: Set<Int> = []
            for group in groups where isShared(group) {
                let places = protected ?? ProtectedFiles(sources, identities)
                protected = places
                clashing.formUnion(self.clashing(in: group, place, format, places))
            }
            let added = clashing.subtracting(digested).subtracting(known)
            guard !added.isEmpty else { break }
            known.formUnion(added)
            digested.formUnion(added)
        }
        var first: [[UInt8]: Int] = [:]
        originals = sources.indices.map { index in
            let key = PathBytes.bytes(of: identities[index] + "\0" + path(at: index))
            defer { first[key] = first[key] ?? index }
            return first[key] ?? index
        }
    }

    /// Whether sources with one name are different files; compared by bytes, since two normal forms of one
    /// name are equal texts and two files.
    private func isShared(_ group: [Int]) -> Bool {
        guard let first = group.first else { return false }
        let bytes = PathBytes.bytes(of: identities[first])
        return group.dropFirst().contains { PathBytes.bytes(of: identities[$0]) != bytes }
    }

    /// Returns the sources of a group with one name that need a digest.
    private func clashing(
        in group: [Int],
        _ place: String?,
        _ format: ResultFormat,
        _ protected: ProtectedFiles
    ) -> [Int] {
        let formats = group.map { format.format(of: sources[$0]) }
        guard !formats.contains(nil) else { return group }
        let byFormat = Dictionary(grouping: zip(group, formats)) { $0.1 }
        return byFormat.values.flatMap { members in
            let indices = members.map(\.0)
            guard isShared(indices) else { return [Int]() }
            guard areKnown, let place, let format = members.first?.1 else { return indices }
            let isInput = indices.contains { index in
                protected.contains(Self.joined(place, path(at: index)) + "." + format.fileExtension)
            }
            return isInput ? [] : indices
        }
    }

    /// Returns the path of a file in a folder.
    static func joined(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    /// Returns the normal form of a source, which identifies it.
    func identity(at index: Int) -> String { identities[index] }

    /// Whether names are known before their images.
    var areKnown: Bool { !template.needsImage }

    /// Returns the path of a file below the output folder, without its extension.
    ///
    /// - Parameters:
    ///   - index: The index of its source in the list.
    ///   - info: The header of the result; needed if the template has its size or format.
    /// - Returns: The path.
    func path(at index: Int, _ info: ImageInfo? = nil) -> String {
        var values: [NameTemplate.Field: String] = [:]
        if let info {
            values[.width] = "\(info.displaySize.width)"
            values[.height] = "\(info.displaySize.height)"
            values[.format] = info.format.rawValue
        }
        let source = sources[index]
        var name = name(at: index, values)
        if digested.contains(index) { name += "-" + Self.digest(identities[index]) }
        return source.folder.isEmpty ? name : source.folder + "/" + name
    }

    private func name(at index: Int, _ values: [NameTemplate.Field: String]) -> String {
        var values = values
        values[.name] = Self.stem(of: sources[index])
        values[.digest] = Self.digest(identities[index])
        let (number, count) = (String(index + 1), String(sources.count))
        values[.number] = String(repeating: "0", count: count.count - number.count) + number
        let name = Self.cut(template.text(values))
        return name.isEmpty ? "image" : name
    }

    /// Returns eight hexadecimal digits that depend on the source alone.
    private static func digest(_ identity: String) -> String {
        var digest = MessageDigest.sha256()
        digest.update(PathBytes.bytes(of: identity).span)
        return String(digest.finalize().hexadecimalDigits.prefix(8))
    }

    /// Returns the last component of the address without its extension.
    private static func stem(of source: BatchSource) -> String {
        let address = source.address
        guard source.isURL else { return withoutExtension(FileLocation.split(address).name) }
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

    /// Returns a name from a URL, with characters replaced that some file system rejects.
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
        guard PathBytes.bytes(of: name).count > maxByteCount else { return name }
        var byteCount = 0
        return String(
            name.prefix { character in
                byteCount += String(character).utf8.count
                return byteCount <= maxByteCount
            }
        )
    }
}

/// The input files of a batch, which no result may replace.
private struct ProtectedFiles {
    private let locations: Set<[UInt8]>
    private let files: Set<FileIdentity>

    init(_ sources: [BatchSource], _ identities: [String]) {
        let paths = zip(sources, identities).filter { $0.0.path != nil }.map(\.1)
        locations = Set(paths.map { PathBytes.bytes(of: $0) })
        files = Set(paths.compactMap { FileStatus(at: $0)?.identity })
    }

    /// Whether a path is that of an input, in any spelling.
    func contains(_ path: String) -> Bool {
        locations.contains(PathBytes.bytes(of: FileLocation.location(of: path)))
            || FileStatus(at: path).map { files.contains($0.identity) } ?? false
    }
}
