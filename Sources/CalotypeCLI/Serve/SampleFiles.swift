import CalotypeServer

/// The files that the console suggests as sources: images directly in the folder of local sources.
enum SampleFiles {
    private static let maxCount = 24
    /// A folder may have millions of names.
    private static let maxReadCount = 1_000

    /// Returns the names of files that the service may load, sorted; blocks.
    ///
    /// - Returns: The names; none without a folder, or if it cannot be read.
    static func names(for settings: ServeSettings) -> [String] {
        guard let root = settings.sources.localRoot else { return [] }
        do throws(CommandError) {
            let names = try FolderWalk.imageNames(in: root, readingAtMost: maxReadCount)
            return Array(names.lazy.filter { isAllowed($0, settings) }.prefix(maxCount))
        } catch {
            // The service starts without suggestions.
            return []
        }
    }

    private static func isAllowed(_ name: String, _ settings: ServeSettings) -> Bool {
        do throws(RequestError) {
            try settings.service.sources.check(try SourceURL("local:///\(name)"))
            return true
        } catch {
            return false
        }
    }
}
