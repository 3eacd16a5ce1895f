import Calotype
import Foundation
import LoopbackOrigin

/// Loads the same pictures from the network, from disk and from memory, and prints the times (`make demo`).
///
/// `Demo [SHEET]` writes a contact sheet, by default calotype-demo.png; `Demo --draw FOLDER` only draws the
/// pictures, for `make serve`.
@main struct Demo {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 2, arguments.first == "--draw", let folder = arguments.last {
            return try await draw(into: URL(filePath: folder))
        }
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            print("usage: Demo [SHEET], or Demo --draw FOLDER")
            exit(2)
        }
        if try await !run(sheet: arguments.first ?? "calotype-demo.png") { exit(1) }
    }

    private static func draw(into folder: URL) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, data) in try await DemoImage.drawAll() {
            try data.write(to: folder.appending(path: name))
        }
    }

    /// Runs the passes, and writes the contact sheet.
    ///
    /// - Returns: Whether each picture came from the source of its pass.
    private static func run(sheet path: String) async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-demo-\(UUID())")
        defer { remove(folder) }
        let pictures = try await DemoImage.drawAll()
        let responses = pictures.map { name, data in
            ("/\(name)", OriginResponse.body(data, type: name.hasSuffix(".png") ? "image/png" : "image/jpeg"))
        }
        let origin = try await LoopbackOrigin.start(routes: Dictionary(uniqueKeysWithValues: responses))
        let disk = try await DiskCache.open(.init(root: folder.path, namespace: "demo"))
        let memory = ImageCache.Memory(costLimit: 1 << 30)
        let cache = ImageCache(memory: memory, stores: [disk])
        let pipeline = ImagePipeline(.init(cache: cache, loader: RoutingLoader.standard()))

        let urls = pictures.map { origin.url("/\($0.name)") }
        var isComplete = true
        print(DemoPass.head)
        for source in [LoadedImage.Source.network, .disk, .memory] {
            if source == .disk { pipeline.removeAllFromMemory() }
            let pass = try await DemoPass(of: urls, by: pipeline, expecting: source)
            print(pass)
            isComplete = isComplete && pass.hitCount == urls.count
        }
        let sheet = try await ContactSheet(of: urls, by: pipeline).image
        try PNGEncoder().encode(sheet).write(to: URL(filePath: path))
        print("contact sheet: \(path), \(sheet.size)")

        try await pipeline.shutdown()
        await origin.close()
        return isComplete
    }

    private static func remove(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            print("\(folder.path) was left behind: \(error)")
        }
    }
}
