import ArgumentParser
import CalotypeCodecs
import CalotypeCore

/// A writable image format, as named on the command line or by a file extension.
struct FormatName: ExpressibleByArgument, Hashable, Sendable {
    private static let writable = ImageFormat.recognized.filter {
        CodecRegistry.standard.encoder(for: $0) != nil
    }

    let format: ImageFormat

    init(_ format: ImageFormat) {
        self.format = format
    }

    /// Parses the names of ``CalotypeCore/ImageFormat`` and common file extensions; `nil` for other text, and
    /// for formats without an encoder.
    init?(argument: String) {
        let known = ImageFormat(fileExtension: argument) ?? ImageFormat(rawValue: argument.lowercased())
        guard Self.writable.contains(known) else { return nil }
        format = known
    }

    init?(extensionOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last else { return nil }
        self.init(argument: String(last))
    }

    /// Returns the format in which an image of a format is written if none is named; `nil` without an
    /// encoder, and for icons, which have at most 256 pixels a side.
    static func own(_ format: ImageFormat?) -> ImageFormat? {
        guard let format, format != .ico else { return nil }
        return FormatName(argument: format.rawValue)?.format
    }

    static var allValueStrings: [String] { writable.map(\.rawValue) }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
