import CalotypeCore
import CalotypeSupport
import Foundation

/// The format of results before their images are decoded, so that names and clashes are known.
struct ResultFormat: Hashable, Sendable {
    /// The treatment of an image where no format was asked for.
    enum Own: Hashable, Sendable {
        /// Its bytes are written as they are.
        case kept
        /// It is encoded in its own format, if that is one that is written.
        case encoded
        /// The format depends on the pixels.
        case open
    }

    /// The first bytes that a format is told by.
    private static let headByteCount = 4_096

    /// The format that was asked for.
    let requested: ImageFormat?
    let own: Own

    /// The format of a result; `nil` where it is known only once the image is; blocks.
    ///
    /// By the first bytes of a file, since its extension may be that of another format.
    func format(of source: BatchSource) -> ImageFormat? {
        if let requested { return requested }
        guard own != .open, !source.isURL, let head = Self.head(of: source.address),
            let format = ImageFormat(sniffing: head)
        else { return nil }
        switch own {
        // Raw files of cameras begin as a TIFF does.
        case _ where format == .tiff: return nil
        case .kept: return format
        case .encoded: return FormatName(argument: format.rawValue)?.format
        case .open: return nil
        }
    }

    /// The format that a result probably has, by the extension of its source.
    func guess(of source: BatchSource) -> ImageFormat? {
        let address = source.address
        let text = source.isURL ? address.prefix { $0 != "?" && $0 != "#" } : address[...]
        return requested ?? FormatName(extensionOf: String(text))?.format
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
