import FoundationEssentials
import NIOPosix

struct OriginFolder: Sendable {
    private let root: String

    init(_ path: String) {
        root = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    }

    /// Returns the file that the path names; 404 for everything except regular files below the folder.
    func response(to request: OriginRequest) async -> OriginResponse {
        guard let parts = Self.parts(of: request.path) else { return .status(404) }
        do {
            let bytes = try await NIOThreadPool.singleton.runIfActive { try read(parts) }
            return .body(bytes, type: Self.type(ofExtension: parts.last?.split(separator: ".").last))
        } catch {
            return .status(404)
        }
    }

    private static func parts(of path: String) -> [String]? {
        guard
            let decoded = URL(string: "http://origin" + path)?.path(percentEncoded: false),
            !decoded.utf8.contains(0)
        else { return nil }
        let parts = decoded.split(separator: "/").map(String.init)
        return parts.isEmpty || parts.contains("..") || parts.contains(".") ? nil : parts
    }

    private func read(_ parts: [String]) throws -> Data {
        let file = parts.reduce(URL(filePath: root)) { $0.appending(path: $1) }.resolvingSymlinksInPath()
        let path = file.path(percentEncoded: false)
        let base = root.hasSuffix("/") ? root : root + "/"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard path.hasPrefix(base), attributes[.type] as? FileAttributeType == .typeRegular else {
            throw CocoaError(.fileReadNoSuchFile)
        }
        return try Data(contentsOf: file)
    }

    private static func type(ofExtension name: Substring?) -> String {
        switch name?.lowercased() {
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "avif": "image/avif"
        case "heic": "image/heic"
        case "jxl": "image/jxl"
        case "tif", "tiff": "image/tiff"
        case "bmp": "image/bmp"
        case "html": "text/html"
        default: "application/octet-stream"
        }
    }
}
