import Calotype
import Foundation

/// The times of one pass: all pictures, one after another, so that they are those of single loads.
struct DemoPass: CustomStringConvertible {
    static let head = "SOURCE   PICTURES  HITS      MEDIAN       TOTAL   ENCODED"

    /// The source that every picture must come from in this pass.
    private let source: LoadedImage.Source
    private var durations: [Duration] = []
    private var byteCount = 0
    /// The number of pictures that came from the source.
    private(set) var hitCount = 0

    init(of urls: [URL], by pipeline: ImagePipeline, expecting source: LoadedImage.Source) async throws {
        self.source = source
        for url in urls {
            var request = ImageRequest(url)
            // The next pass expects it on disk.
            request.waitsForStore = true
            let start = ContinuousClock.now
            let loaded = try await pipeline.load(request)
            durations.append(.now - start)
            byteCount += loaded.image.metadata.encodedByteCount ?? 0
            if loaded.source == source { hitCount += 1 }
        }
        durations.sort()
    }

    /// The pass as a row of the table.
    var description: String {
        let name = source.rawValue.padding(toLength: 7, withPad: " ", startingAt: 0)
        let columns = [
            ("\(durations.count)", 10), ("\(hitCount)", 6), (Self.text(median), 12),
            (Self.text(durations.reduce(.zero, +)), 12), (megabytes(byteCount), 10),
        ]
        return columns.reduce(name) { $0 + String(repeating: " ", count: max(1, $1.1 - $1.0.count)) + $1.0 }
    }

    private var median: Duration {
        let middle = durations.count / 2
        return durations.count.isMultiple(of: 2)
            ? (durations[middle - 1] + durations[middle]) / 2 : durations[middle]
    }

    private static func text(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return String(format: milliseconds < 10 ? "%.3f ms" : "%.1f ms", milliseconds)
    }
}
