import ArgumentParser
import CalotypeCodecs
import CalotypeCore

/// A format that images are written in, as it is named on the command line or by the extension of a file.
struct FormatName: ExpressibleByArgument, Hashable, Sendable {
    private static let writable = ImageFormat.recognized.filter {
        CodecRegistry.standard.encoder(for: $0) != nil
    }

    let format: ImageFormat

    init(_ format: ImageFormat) {
        self.format = format
    }

    /// Understands the spellings of ``CalotypeCore/ImageFormat`` and the usual extensions of files; `nil` for
    /// all else, and for formats that can only be read.
    init?(argument: String) {
        let known = ImageFormat(fileExtension: argument) ?? ImageFormat(rawValue: argument.lowercased())
        guard Self.writable.contains(known) else { return nil }
        format = known
    }

    /// The format that the extension of a file's name stands for.
    init?(extensionOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last else { return nil }
        self.init(argument: String(last))
    }

    static var allValueStrings: [String] { writable.map(\.rawValue) }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
