import CalotypeCodecs
import CalotypeCore
import Foundation
import TestSupport
import Testing
import WorkerSupport

/// The cost of hostile files, each measured in its own process.
@Suite(.blocking, .serialized) struct HostileFileTests {
    /// Processor time, also for debug builds, in which Swift loops are slow.
    static let maxMilliseconds = 2_000
    /// In addition to the pixels of the image.
    static let maxKilobytes = 100_000

    @Test(arguments: HostileFile.all)
    func `a hostile file ends quickly with little memory`(file: HostileFile) throws {
        let report = try ProbeReport(of: file.data())
        guard report.detail != "no decoder for \(file.format) is registered" else { return }
        let codes = file.codes.map(\.label) + (file.mayDecode ? ["ok"] : [])
        #expect(codes.contains(report.decode), "\(report)")
        #expect(codes.contains(report.header) || report.header == "ok", "\(report)")
        #expect(report.milliseconds <= Self.maxMilliseconds, "\(report)")
        let kilobytes = max(file.claimedByteCount, report.byteCount) / 1_000
        #expect(report.kilobytes - kilobytes <= Self.maxKilobytes, "\(report)")
    }

    @Test(.enabled(Workers.advice, Workers.isAvailable), arguments: HostileFile.all)
    func `in a worker a hostile file ends within a second and 100 MB, and the worker survives`(
        file: HostileFile
    ) async throws {
        let cost = try await WorkerCost(of: file.data())
        let codes = file.codes.map(\.label) + (file.mayDecode ? ["ok"] : [])
        #expect(codes.contains(cost.outcome) && !cost.isLost, "\(cost)")
        #expect(cost.milliseconds <= 1_000, "\(cost)")
        #expect(cost.kilobytes - file.claimedByteCount / 1_000 <= 100_000, "\(cost)")
    }

    @Test(arguments: HostileFile.all)
    func `a hostile file is recognised as its claimed format`(file: HostileFile) throws {
        #expect(ImageFormat(sniffing: try file.data()) == file.format)
    }

    @Test func `the JPEG of many scans is valid`() throws {
        let image = try JPEGDecoder().decode(HostileJPEG.scans(side: 200), options: DecodeOptions())
        #expect(image.pixelFormat == .gray8 && image.bytes.allSatisfy { $0 == 128 })
    }

    @Test func `the large PNG is valid`() throws {
        let small = try PNGDecoder().decode(HostilePNG.black(300, 200), options: DecodeOptions())
        #expect(small.size == PixelSize(width: 300, height: 200))
        #expect(small.bytes.allSatisfy { $0 == 0 })
        let limits = DecodeLimits(maxPixelCount: 1_000_000_000)
        let info = try PNGDecoder().info(of: HostilePNG.large(), limits: limits)
        #expect(info.size == PixelSize(width: 30_000, height: 30_000))
    }
}

struct ProbeReport {
    /// `ok` or an error code, for the header and for the decode.
    let header, decode: String
    let milliseconds, kilobytes, byteCount: Int
    let detail: String

    /// Writes the file and runs the probe with a memory limit for a decode or an encode.
    init(of data: Data, memory: Int? = nil, isEncoding: Bool = false) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "hostile-\(UUID().uuidString)")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let arguments = (memory.map { [String($0)] } ?? []) + (isEncoding ? ["--encoding"] : [])
        // Per-thread arenas would vary.
        let environment = memory == nil ? [:] : ["GLIBC_TUNABLES": "glibc.malloc.arena_max=1"]
        let line = try runCodecProbe([file.path] + arguments, environment: environment)
        let fields = line.split(separator: "\n").first?.split(
            separator: "\t",
            omittingEmptySubsequences: false
        )
        let texts = try #require(fields).map(String.init)
        try #require(texts.count == 6, "\(line)")
        (header, decode, detail) = (texts[0], texts[1], texts[5])
        milliseconds = try #require(Int(texts[2]))
        kilobytes = try #require(Int(texts[3]))
        byteCount = try #require(Int(texts[4]))
    }
}

/// Runs the probe beside the test program and returns its output; it must exit by itself.
func runCodecProbe(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
    let (text, end) = try ChildProcess.output(
        of: try ChildProcess.path(ofProduct: "CodecProbe"),
        arguments,
        environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
    )
    try #require(end >= 0, "killed by signal \(-end)")
    try #require(end == 0, "status \(end)")
    return text
}
