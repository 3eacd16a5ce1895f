import ArgumentParser
import CalotypeCore
import CalotypeSupport
import Foundation
import LoopbackOrigin

/// The addresses that the demo loads, and the origin that serves them if it is the demo's own.
struct DemoSource: Sendable {
    let addresses: [String]
    let origin: LoopbackOrigin?
    /// The files that the origin serves.
    var files: [String] = []

    private static let pool = BlockingPool(width: 1)
    private static let fileCountMax = 1000

    /// Draws the demo's images, serves them from memory, and prints how long drawing took.
    static func generated(_ console: Console) async throws -> DemoSource {
        let pictures = DemoPicture.all
        let start = ContinuousClock.now
        let encoded = try await DemoPicture.encode(pictures)
        let elapsed = ContinuousClock.now - start
        let byteCount = encoded.reduce(0) { $0 + $1.count }
        let size = Record.Value.readable(byteCount: byteCount)
        let seconds = String(format: "%.1f", elapsed.milliseconds / 1000)
        try await console.say("\(pictures.count) pictures, \(size), drawn and encoded in \(seconds) s")
        let routes = zip(pictures, encoded).map { picture, data in
            (picture.path, OriginResponse.body(data, type: "image/\(picture.format)"))
        }
        let origin = try await LoopbackOrigin.start(routes: Dictionary(uniqueKeysWithValues: routes))
        return DemoSource(addresses: pictures.map { origin.url($0.path).absoluteString }, origin: origin)
    }

    /// Serves the JPEG and PNG files of a folder and its subfolders, by name; at most 1,000.
    ///
    /// Hidden files, links that lead out of the folder, and contact sheets of earlier demos are skipped.
    ///
    /// - Throws: ``CommandError`` if there are no such files.
    static func folder(_ path: String) async throws -> DemoSource {
        let files = try await pool.run { () throws(CommandError) in try pictures(below: path) }
        guard !files.isEmpty else {
            throw CommandError(.nothingFound, detail: "\(path) contains no JPEG or PNG files")
        }
        let routes = Dictionary(uniqueKeysWithValues: files.map { ($0.route, $0) })
        let origin = try await LoopbackOrigin.start { request in
            guard let picture = routes[request.path] else { return .status(404) }
            do {
                return .body(try await FileBytes.read(picture.path), type: "image/\(picture.format)")
            } catch {
                return .status(404)
            }
        }
        let addresses = files.map { origin.url($0.route).absoluteString }
        var source = DemoSource(addresses: addresses, origin: origin)
        source.files = files.map(\.path)
        return source
    }

    /// Creates the source for the arguments: none, one folder, or URLs.
    ///
    /// - Throws: `ValidationError` for other arguments.
    init(_ arguments: [String], _ console: Console) async throws {
        if arguments.isEmpty {
            self = try await .generated(console)
        } else if arguments.count == 1, await Self.isFolder(arguments[0]) {
            self = try await .folder(arguments[0])
        } else {
            let remote = arguments.filter {
                $0.lowercased().hasPrefix("http:") || $0.lowercased().hasPrefix("https:")
            }
            guard remote.count == arguments.count else {
                throw ValidationError("The demo takes one folder, or any number of http and https URLs.")
            }
            self.init(addresses: remote, origin: nil)
        }
    }

    private init(addresses: [String], origin: LoopbackOrigin?) {
        self.addresses = addresses
        self.origin = origin
    }

    private static func isFolder(_ path: String) async -> Bool {
        await pool.run { FileStatus(at: path)?.kind == .folder }
    }

    /// A file of a folder, and its path on the origin.
    private struct Picture: Sendable {
        let path: String
        let route: String
        let format: ImageFormat
    }

    private static func pictures(below root: String) throws(CommandError) -> [Picture] {
        var walk = FolderWalk()
        let base = FilePlace.location(of: root)
        let sources = try walk.images(in: root).filter { source in
            let location = PathBytes.bytes(of: FilePlace.location(of: source.address))
            return location.starts(with: PathBytes.bytes(of: base == "/" ? base : base + "/"))
        }
        return sources.lazy.compactMap { source in
            let name = FilePlace.split(source.address).name
            guard let format = FormatName(extensionOf: name)?.format, [.jpeg, .png].contains(format),
                !DemoRun.isSheet(name)
            else { return nil }
            let route = PathBytes.percentEncoded(
                "\(source.folder.isEmpty ? "" : "/" + source.folder)/\(name)"
            )
            return Picture(path: source.address, route: route, format: format)
        }.prefix(fileCountMax).map(\.self)
    }
}
