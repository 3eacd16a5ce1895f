import CalotypeCore
import CalotypeSupport
import Foundation

/// The format of results, as far as it is known before decoding, for names and clashes.
struct ResultFormat: Hashable, Sendable {
    /// The treatment of an image if no format is requested.
    enum Own: Hashable, Sendable {
        /// Its bytes are written unchanged.
        case kept
        /// It is encoded in its own format, if that has an encoder.
        case encoded
        /// The format depends on the pixels.
        case open
    }

    /// The number of bytes needed to detect a format.
    private static let headByteCount = 4_096

    let requested: ImageFormat?
    let own: Own

    /// Returns the format of a result, or `nil` if it is known only after decoding; blocks.
    ///
    /// Detected by the first bytes of a file, since its extension may be wrong.
    func format(of source: BatchSource) -> ImageFormat? {
        if let requested { return requested }
        guard own != .open, !source.isURL, let head = Self.head(of: source.address),
            let format = ImageFormat(sniffing: head)
        else { return nil }
        switch own {
        // Camera raw files begin like a TIFF.
        case _ where format == .tiff: return nil
        case .kept: return format
        case .encoded: return FormatName.own(format)
        case .open: return nil
        }
    }

    /// Returns the probable format of a result, by the extension of its source.
    func guess(of source: BatchSource) -> ImageFormat? {
        let address = source.address
        let text = source.isURL ? address.prefix { $0 != "?" && $0 != "#" } : address[...]
        return requested ?? FormatName.own(FormatName(extensionOf: String(text))?.format)
    }

    private static func head(of path: String) -> Data? {
        guard FileStatus(at: path)?.kind == .regular else { return nil }
        let descriptor = path.withPathBytes { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: headByteCount)
        let (count, error) = bytes.withUnsafeMutableBytes { OpenDescriptor.read(descriptor, into: $0) }
        return error == nil ? Data(bytes.prefix(count)) : nil
    }
}
