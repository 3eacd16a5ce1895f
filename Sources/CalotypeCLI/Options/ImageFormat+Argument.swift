import ArgumentParser
import CalotypeCore

/// A format as it is named on the command line or by the extension of a file.
struct FormatName: ExpressibleByArgument, Hashable, Sendable {
    let format: ImageFormat

    init(_ format: ImageFormat) {
        self.format = format
    }

    /// Understands the spellings of ``CalotypeCore/ImageFormat`` and `jpg`, `tif`; `nil` for all else.
    init?(argument: String) {
        let name = argument.lowercased()
        let spelling = ["jpg": "jpeg", "jpe": "jpeg", "tif": "tiff", "apng": "png"][name] ?? name
        guard let format = ImageFormat.recognized.first(where: { $0.rawValue == spelling }) else {
            return nil
        }
        self.format = format
    }

    /// The format that the extension of a file's name stands for.
    init?(extensionOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last else { return nil }
        self.init(argument: String(last))
    }

    static var allValueStrings: [String] {
        ImageFormat.recognized.map(\.rawValue)
    }
}
