public import Foundation

/// Compresses bytes with third-party programs.
public enum Packer {
    /// Whether a program for gzip and zlib is installed.
    public static var isInstalled: Bool { ServerProcess.find("python3") != nil }

    /// Whether a coding is available: `gzip`, `zlib`, `br` or `zstd`.
    public static func canPack(as coding: String) -> Bool {
        switch coding {
        case "br": ServerProcess.find("brotli") != nil
        case "zstd": ServerProcess.find("zstd") != nil
        default: isInstalled
        }
    }

    /// Compresses bytes.
    ///
    /// - Throws: ``ServerFailure`` if the program cannot be run, or fails.
    public static func pack(_ bytes: Data, as coding: String) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { ServerProcess.remove(folder) }
        try bytes.write(to: folder.appending(path: "plain"))
        let script = """
            import gzip, sys, zlib
            plain = open("plain", "rb").read()
            open("packed", "wb").write({"gzip": gzip, "zlib": zlib}[sys.argv[1]].compress(plain))
            """
        let (program, arguments) =
            switch coding {
            case "br": ("brotli", ["plain", "-o", "packed"])
            case "zstd": ("zstd", ["-q", "plain", "-o", "packed"])
            default: ("python3", ["-c", script, coding])
            }
        guard
            let path = ServerProcess.find(program),
            try ServerProcess.run(path, arguments, in: folder.path) == 0
        else { throw ServerFailure("\(program) does not pack") }
        return try Data(contentsOf: folder.appending(path: "packed"))
    }
}

extension ServerProcess {
    fileprivate static func remove(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            // Leftovers in the temporary folder are harmless.
        }
    }
}
