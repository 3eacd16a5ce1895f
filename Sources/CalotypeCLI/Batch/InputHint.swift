import CalotypeSupport

/// Hints for inputs that cannot be read as a file.
enum InputHint {
    /// Returns the hint for a folder in place of an image; `nil` otherwise.
    static func forFolder(_ address: String) async -> String? {
        await BlockingPool.command.run { folder(address) }
    }

    /// Returns the hint for a folder or a URL given to a command that reads only files; `nil` otherwise.
    static func forFile(_ address: String) async -> String? {
        if InputAddress.isLoaded(address) { return "use “calotype load” for URLs" }
        return await forFolder(address)
    }

    private static func folder(_ address: String) -> String? {
        guard let path = BatchSource(address).path, FileStatus(at: path)?.kind == .folder else { return nil }
        return "it is a folder; --recursive reads the images in it"
    }
}
