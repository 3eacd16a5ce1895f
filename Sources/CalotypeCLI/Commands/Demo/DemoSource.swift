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

    /// The demo's own pictures, drawn now and served from memory; the console is told how long that took.
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

    /// The JPEG and PNG files of a folder and of those in it, by name; at most 1,000.
    ///
    /// - Throws: ``CommandError`` where there are none.
    static func folder(_ path: String) async throws -> DemoSource {
        let names = await pool.run { imageNames(below: path) }
        guard !names.isEmpty else {
            throw CommandError(.nothingFound, detail: "there are no JPEG or PNG files in \(path)")
        }
        let origin = try await LoopbackOrigin.start(folder: path)
        let addresses = names.compactMap { name in
            name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed).map { origin.url("/" + $0) }
        }
        var source = DemoSource(addresses: addresses.map(\.absoluteString), origin: origin)
        source.files = names.map { path + "/" + $0 }
        return source
    }

    /// Decides by what was typed: nothing, one folder, or URLs.
    ///
    /// - Throws: `ValidationError` where it is neither.
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
        await pool.run {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        }
    }

    private static func imageNames(below path: String) -> [String] {
        var names: [String] = []
        let found = FileManager.default.enumerator(atPath: path)
        while names.count < fileCountMax, let name = found?.nextObject() as? String {
            guard let format = FormatName(extensionOf: name)?.format, [.jpeg, .png].contains(format) else {
                continue
            }
            names.append(name)
        }
        return names.sorted()
    }
}
