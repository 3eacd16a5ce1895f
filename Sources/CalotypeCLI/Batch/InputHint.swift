import CalotypeSupport

/// A remedy for an input that cannot be read as a file.
enum InputHint {
    private static let pool = BlockingPool(width: 1)

    /// The remedy for a folder in the place of an image; `nil` for all others.
    static func forFolder(_ address: String) async -> String? {
        await pool.run { folder(address) }
    }

    /// The remedy for a folder or a URL where a command reads files only; `nil` for all others.
    static func forFile(_ address: String) async -> String? {
        if InputAddress.isLoaded(address) { return "URLs are loaded by “calotype load”" }
        return await forFolder(address)
    }

    private static func folder(_ address: String) -> String? {
        guard let path = BatchSource(address).path, FileStatus(at: path)?.kind == .folder else { return nil }
        return "it is a folder; --recursive takes the images in it"
    }
}
