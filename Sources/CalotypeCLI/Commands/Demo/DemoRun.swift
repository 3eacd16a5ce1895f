import Calotype
import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import Foundation

/// The passes of the demo over one pipeline.
struct DemoRun: Sendable {
    /// Room for all decoded images of the demo.
    private static let memoryCostLimit = 1 << 30
    private static let sheetCountMax = 1000
    private static let sheetName = "calotype-demo"

    private let addresses: [String]
    private let pipeline: ImagePipeline
    private let console: Console

    init(addresses: [String], disk: DiskCache, codecs: CodecRegistry, console: Console) {
        self.addresses = addresses
        self.console = console
        let memory = ImageCache.Memory(costLimit: Self.memoryCostLimit)
        let cache = ImageCache(memory: memory, stores: [disk], codecs: codecs)
        pipeline = ImagePipeline(.init(cache: cache, loader: RoutingLoader.standard()))
    }

    /// Loads all images cold, from disk and from memory, and prints a row for each pass.
    ///
    /// - Returns: ``ProgramStatus/failure`` if an image failed or came from an unexpected source.
    func passes() async throws -> ProgramStatus {
        var status = ProgramStatus.success
        for source in [LoadedImage.Source.network, .disk, .memory] {
            if source == .disk { pipeline.cache.removeAllFromMemory() }
            let pass = try await pass(expecting: source)
            try await console.write(pass.record, as: DemoPass.table)
            if pass.hitCount < addresses.count {
                status = .failure
                let text = "\(pass.hitCount) of \(addresses.count) pictures came from \(source.rawValue)"
                try await console.report(error: "demo: \(CommandError(.unexpectedSource, detail: text))")
            }
        }
        return status
    }

    /// Writes a contact sheet of thumbnails; images that cannot be loaded are skipped.
    ///
    /// Without any image, no sheet is written.
    ///
    /// - Parameters:
    ///   - path: The sheet's file; by default one in the current folder that does not exist yet.
    ///   - writer: The writer.
    /// - Throws: ``CalotypeCodecs/EncodeError``, ``CommandError``.
    func writeContactSheet(to path: String?, by writer: OutputWriter) async throws {
        var thumbnails: [Image] = []
        for address in addresses {
            guard var request = ImageRequest(addressOrPath: address) else { continue }
            request.decoding.target = .fit(PixelBox(ContactSheet.cell))
            do {
                thumbnails.append(try await pipeline.image(for: request))
            } catch is LoadError {
                // The first pass reported it.
            }
        }
        guard !thumbnails.isEmpty else { return }
        let sheet = ContactSheet(thumbnails)
        let encoded = try await EncoderSettings().encode(drawing: sheet.drawn, as: .png)
        let written = try await Self.write(encoded, to: path, by: writer)
        try await console.say("contact sheet: \(written), \(sheet.size)")
    }

    /// Whether a file name is a default name of a contact sheet.
    static func isSheet(_ name: String) -> Bool {
        guard name.hasPrefix(sheetName), name.hasSuffix(".png") else { return false }
        let number = name.dropFirst(sheetName.count).dropLast(4)
        return number.isEmpty || number.first == "-" && Int(number.dropFirst()) != nil
    }

    private static func write(
        _ sheet: Data,
        to path: String?,
        by writer: OutputWriter
    ) async throws -> String {
        if let path {
            try await writer.write(sheet, to: path)
            return path
        }
        for number in 1..<sheetCountMax {
            let name = number == 1 ? "\(sheetName).png" : "\(sheetName)-\(number).png"
            do {
                try await writer.write(sheet, to: name)
                return name
            } catch let error as CommandError where error.code == .exists {
                continue
            }
        }
        throw CommandError(.exists, detail: "there are \(sheetCountMax) contact sheets; use --output")
    }

    /// Closes the cache and the connections.
    func close() async throws {
        try await pipeline.shutdown()
    }

    private func pass(expecting source: LoadedImage.Source) async throws -> DemoPass {
        var pass = DemoPass(expectedSource: source)
        let bar = ProgressBar(console, totalCount: addresses.count)
        for address in addresses {
            guard var request = ImageRequest(addressOrPath: address) else { continue }
            request.cachePolicy = source == .network ? .refresh : .standard
            // The next pass expects it on disk.
            request.waitsForStore = true
            let start = ContinuousClock.now
            do {
                let loaded = try await pipeline.load(request)
                pass.add(loaded, elapsed: .now - start)
            } catch let error as LoadError where source == .network {
                let shown = Credentials.hidden(inAddress: address)
                let text = ErrorText.describe(error, of: address, shownAs: shown)
                try await console.report(error: "\(SafeText.shortened(shown)): \(text)")
            } catch is LoadError {
                // The first pass reported it.
            }
            bar.update { $0.doneCount += 1 }
        }
        bar.finish()
        return pass
    }
}
