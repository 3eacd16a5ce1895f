import Calotype
import Foundation

extension AllRows {
    /// Rows of loads over loopback.
    static let networkRows = LoopbackRows.all

    static let networkProbes = LoopbackRows.probes
}

/// A thousand loads at once from an nginx on this machine.
///
/// Both sides keep as many connections, and ask over those of the turn before.
enum LoopbackRows {
    static let all = [rate, rateWithFiles, rateWithoutDisk, rateOfLoader, memory]
    static let probes = [ourProbe, plainProbe]

    private static let rate = Row(
        "load-loopback",
        "1,000 images of 20 kB over loopback, cold, data(for:) to disk; AsyncHTTPClient alone",
        in: .perSecond,
        .ratioAtLeast(1)
    ) {
        let (origin, plain) = (try Origin(), PlainClient())
        let baseline = side { try await plain.load(origin.urls.prefix($0)) }
        return Contest(ours: ours(origin), baseline: baseline)
    }

    /// The cost of the file system alone, which is the same for both sides here.
    private static let rateWithFiles = Row(
        "load-loopback-files",
        "the same; AsyncHTTPClient with each body written to a file and renamed",
        in: .perSecond,
        .ratioAtLeast(1.7)
    ) {
        let (origin, plain, folders) = (try Origin(), PlainClient(), TurnFolders())
        let baseline = side(prepare: { _ in _ = try folders.next() }) { count in
            try await plain.load(origin.urls.prefix(count), to: try folders.current())
        }
        return Contest(ours: ours(origin), baseline: baseline)
    }

    /// The cost of the pipeline alone.
    private static let rateWithoutDisk = Row(
        "load-loopback-no-disk",
        "the same without a disk cache; AsyncHTTPClient alone",
        in: .perSecond,
        .ratioAtLeast(1.5)
    ) {
        let (origin, plain) = (try Origin(), PlainClient())
        let pipeline = LoopbackPipeline(hasDisk: false)
        let ours = side(prepare: { _ in try await pipeline.empty() }) { count in
            try await pipeline.load(origin.urls.prefix(count))
        }
        return Contest(ours: ours, baseline: side { try await plain.load(origin.urls.prefix($0)) })
    }

    /// The cost of the loader alone: limits, timeouts, the checks of each response.
    private static let rateOfLoader = Row(
        "load-loopback-loader",
        "the same by HTTPDataLoader alone, which keeps nothing; AsyncHTTPClient alone",
        in: .perSecond,
        .ratioAtLeast(2.5)
    ) {
        let (origin, plain, loader) = (try Origin(), PlainClient(), PlainLoader())
        let ours = side { try await loader.load(origin.urls.prefix($0)) }
        return Contest(ours: ours, baseline: side { try await plain.load(origin.urls.prefix($0)) })
    }

    private static func ours(_ origin: Origin) -> Side {
        let pipeline = LoopbackPipeline()
        return side(prepare: { _ in try await pipeline.empty() }) { count in
            try await pipeline.load(origin.urls.prefix(count))
        }
    }

    /// A side that loads each image once in a turn.
    private static func side(prepare: Work? = nil, _ work: @escaping Work) -> Side {
        Side(minCount: Origin.imageCount, maxCount: Origin.imageCount, prepare: prepare, work: work)
    }

    private static let memory = Row(
        "load-loopback-memory",
        "the same, nothing kept in memory: the process's peak; AsyncHTTPClient alone",
        counted: .megabytes
    ) {
        let origin = try Origin()
        // Each is loaded from where the other is.
        let base = origin.urls[0].deletingLastPathComponent().absoluteString
        return Figures(ours: try ourProbe.run(base)[0], baseline: try plainProbe.run(base)[0])
    }

    private static let ourProbe = MemoryProbe(name: "load-loopback-memory") { arguments in
        let pipeline = LoopbackPipeline(encodedCostLimit: 0)
        try await pipeline.empty()
        try await pipeline.load(try urls(arguments)[...])
        return [try ProcessMemory.peak()]
    }

    private static let plainProbe = MemoryProbe(name: "load-loopback-memory-plain") { arguments in
        try await PlainClient().load(try urls(arguments)[...])
        return [try ProcessMemory.peak()]
    }

    private static func urls(_ arguments: [String]) throws -> [URL] {
        guard let base = arguments.first.flatMap({ URL(string: $0) }) else { throw Skipped("no address") }
        return (0..<Origin.imageCount).map { base.appending(path: "\($0).png") }
    }
}
