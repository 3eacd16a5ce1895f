import CalotypeSupport
import Foundation

enum FileLocation {
    static func split(_ path: String) -> (folder: String, name: String) {
        var bytes = PathBytes.bytes(of: path)[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
            return (".", PathBytes.text(of: bytes))
        }
        var folder = bytes[..<slash]
        while folder.count > 1, folder.last == UInt8(ascii: "/") { folder.removeLast() }
        return (folder.isEmpty ? "/" : PathBytes.text(of: folder), PathBytes.text(of: bytes[(slash + 1)...]))
    }

    /// Returns the path without links, `.` and `..`; if the file does not exist, only its folder is resolved.
    static func location(of path: String) -> String {
        if let resolved = resolved(path) { return resolved }
        let (folder, name) = split(path)
        guard let resolved = resolved(folder) else { return path }
        return resolved == "/" ? "/" + name : resolved + "/" + name
    }

    /// Returns the current state of a path, for ``OutputRule``; blocks.
    static func target(_ path: String) -> OutputRule.Target {
        let existing: OutputRule.Existing =
            switch FileStatus(at: path) {
            case nil: linkTarget(path).map { .danglingLink(to: $0) } ?? .nothing
            case let status?:
                switch status.kind {
                case .regular, .symbolicLink: .regular(status.identity, isWritable: isWritable(path))
                case .pipe: .stream(status.identity)
                case .device: .stream(nil)
                case .folder: .folder
                case .blockDevice: .blockDevice
                }
            }
        return OutputRule.Target(path: path, location: location(of: path), existing: existing)
    }

    private static func isWritable(_ path: String) -> Bool {
        path.withPathBytes { access($0, W_OK) } == 0
    }

    /// Returns the path of an existing file without links, `.` and `..`, or `nil`.
    static func resolved(_ path: String) -> String? {
        guard let bytes = path.withPathBytes({ realpath($0, nil) }) else { return nil }
        defer { free(bytes) }
        return PathBytes.text(of: UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
    }

    /// Returns the text of a symbolic link, or `nil` if the path is not a link.
    static func linkTarget(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = path.withPathBytes { readlink($0, &bytes, bytes.count) }
        return count < 0 ? nil : PathBytes.text(of: bytes.prefix(count).map { UInt8(bitPattern: $0) })
    }
}
