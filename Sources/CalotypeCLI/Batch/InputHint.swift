import CalotypeSupport

/// A remedy for an input that cannot be read as a file.
enum InputHint {
    private static let pool = BlockingPool(width: 1)

    /// The remedy for a folder in the place of an image; `nil` for all others.
    static func forFolder(_ address: String) async -> String? {
        guard let path = BatchSource(address).path else { return nil }
        let isFolder = await pool.run { FileStatus(at: path)?.kind == .folder }
        return isFolder ? "it is a folder; --recursive takes the images in it" : nil
    }

    /// The remedy for a folder or a URL where a command reads files only; `nil` for all others.
    static func forFile(_ path: String) async -> String? {
        if BatchSource.isURL(path) { return "URLs are loaded by “calotype load”" }
        return await forFolder(path)
    }
}
