import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
import CalotypeSupport
import Foundation
import TestSupport
import Testing
import WorkerSupport

enum Drawings {
    /// Whether workers draw on this machine, including text: without Landlock they get no fonts.
    static let isAvailable: @Sendable () async throws -> Bool = {
        guard try await Workers.isAvailable() else { return false }
        do {
            let workers = try await Workers.shared
            _ = try await workers.drawing(of: document("<g/>"))
            return !workers.sandboxSummary.contains("no Landlock")
        } catch let error as DecodeError where error.code == .unsupportedFeature {
            return false
        }
    }

    static let advice: Comment = "no librsvg (librsvg2-2), no Landlock, or no locked codec workers"

    /// A document of 40 × 40 pixels.
    static func document(_ content: String, _ attributes: String = "width='40' height='40'") -> String {
        """
        <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \(attributes)>
        \(content)</svg>
        """
    }

    /// The image that rsvg-convert draws of a document, or `nil` if it rejects the document.
    ///
    /// - Throws: `TestSupport.ServerFailure` if it cannot be run.
    static func reference(_ document: Data, _ size: PixelSize) throws -> Image? {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { Issue.record("\(error)") }
        }
        let (source, result) = (folder.appending(path: "a.svg"), folder.appending(path: "a.png"))
        try document.write(to: source)
        let sides = ["-w", "\(size.width)", "-h", "\(size.height)"]
        let program = try #require(ServerProcess.find("rsvg-convert"))
        let (_, end) = try ChildProcess.output(of: program, sides + ["-o", result.path, source.path])
        return end == 0 ? try CodecRegistry.standard.decode(Data(contentsOf: result)) : nil
    }
}

extension CodecWorkers {
    func drawing(of document: String, _ options: DecodeOptions = DecodeOptions()) async throws -> Image {
        try await run { try $0.decode(Data(document.utf8), options: options) }
    }

    /// The error of the workers for a document, or `nil`.
    func error(
        ofDrawing document: Data,
        _ options: DecodeOptions = DecodeOptions()
    ) async throws -> DecodeError? {
        try await run { codecs -> DecodeError? in
            do throws(DecodeError) {
                _ = try codecs.decode(document, options: options)
                return nil
            } catch {
                return error
            }
        }
    }
}

extension Image {
    /// Red, green, blue and alpha of a pixel.
    func rgba(x: Int, y: Int) -> [UInt8] { Array(rgba8().dropFirst(4 * (y * width + x)).prefix(4)) }

    var isBlank: Bool { rgba8().allSatisfy { $0 == 0 } }
}
