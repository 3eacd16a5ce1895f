import Foundation
import Glibc

/// The system's file calls and nothing else.
enum RawFiles {
    /// Opens, asks for the length, reads into a buffer made for it, closes.
    static func read(_ path: String) {
        let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
        var status = stat()
        precondition(file >= 0 && fstat(file, &status) == 0, "\(path) is there")
        let byteCount = Int(status.st_size)
        let buffer = malloc(byteCount)
        precondition(Glibc.read(file, buffer, byteCount) == byteCount, "\(path) is read whole")
        close(file)
        use(buffer)
        free(buffer)
    }

    /// Fails to open what is not there.
    static func miss(_ path: String) {
        let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
        precondition(file == -1 && errno == ENOENT, "\(path) is not there")
    }

    /// Writes a new file, and renames it into place; a durable one waits for the device, its name too.
    static func write(_ data: Data, to path: String, by temporary: String, isDurable: Bool = false) {
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        let count = data.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        precondition(count == data.count, "\(temporary) is written whole")
        if isDurable { precondition(fsync(file) == 0) }
        close(file)
        precondition(rename(temporary, path) == 0, "\(temporary) becomes \(path)")
        if isDurable { synchronizeFolder(of: path) }
    }

    static func remove(_ path: String) {
        precondition(unlink(path) == 0, "\(path) is there")
    }

    private static func synchronizeFolder(of path: String) {
        let folder = open(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]), O_RDONLY | O_CLOEXEC)
        precondition(fsync(folder) == 0)
        close(folder)
    }
}

/// Files as the cache lays them out, 256 folders and one for what is being written, made by hand.
struct RawTree: Sendable {
    let paths: [String]
    private let root: String
    /// Kept from being removed.
    private let folder: DiskFolder

    init(in folder: DiskFolder, count: Int) throws {
        self.folder = folder
        root = folder.path + "/raw"
        for index in 0..<256 {
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(Self.hexadecimal(index))",
                withIntermediateDirectories: true
            )
        }
        try FileManager.default.createDirectory(atPath: root + "/tmp", withIntermediateDirectories: true)
        paths = (0..<count).map { [root] index in
            let name = UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
            return "\(root)/\(Self.hexadecimal(Int(name >> 56)))/\(String(name, radix: 16))\(index).jpeg"
        }
    }

    func store(_ data: Data, at index: Int, isDurable: Bool = false) {
        RawFiles.write(data, to: paths[index], by: "\(root)/tmp/\(index)", isDurable: isDurable)
    }

    /// Makes all files.
    func fill(_ data: Data) {
        for place in paths.indices { store(data, at: place) }
    }

    private static func hexadecimal(_ byte: Int) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
