import CalotypeSupport
import FoundationEssentials

extension CacheTrace {
    /// Reads a trace from a `.ctr` file, or from a `.ctr.xz` file through the `xz` program.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: `nil` if the file does not exist or is not a trace, or `xz` is missing.
    public static func read(atPath path: String) -> CacheTrace? {
        guard path.hasSuffix(".xz") else {
            return FileManager.default.contents(atPath: path).flatMap { CacheTrace($0) }
        }
        let quoted =
            "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            + "'"
        guard let stream = popen("xz -dc -- " + quoted + " 2>/dev/null", "re") else { return nil }
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, stream), count > 0 {
            data.append(contentsOf: chunk[..<count])
        }
        return pclose(stream) == 0 ? CacheTrace(data) : nil
    }
}
