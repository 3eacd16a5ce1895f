import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

/// The recorded traces, in a folder beside the package.
private enum SharedTraces {
    static func path(_ name: String) -> String {
        (SharedCorpus.root?.path ?? "") + "/traces/\(name).ctr.xz"
    }

    static let isPresent = ["arc_oltp", "web_adaptsize", "web_elastic_images", "lirs_zigzag", "lirs_backf"]
        .allSatisfy { FileManager.default.fileExists(atPath: path($0)) }

    static func read(_ name: String) throws -> CacheTrace {
        try #require(CacheTrace.read(atPath: path(name)), "\(name) is a trace")
    }
}

private let absence: Comment = "the recorded traces are not beside the package"

@Suite(.blocking, .skipped(under: .address, .thread, because: "replays traces on one thread for minutes"))
struct CacheTraceTests {
    @Test func `a trace is parsed in its written order`() throws {
        let words: [UInt32] = [1, 3, 2, 10, 20, 0, 1, 0]
        let bytes =
            Array("CTR1".utf8)
            + words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        let trace = try #require(CacheTrace(Data(bytes)))
        #expect(trace.sizes == [10, 20])
        #expect(trace.requests == [0, 1, 0])
        #expect(trace.footprint == 30)
        let ratios = trace.hitRatios(capacity: 30, policy: .lru)
        #expect(ratios == HitRatios(object: 1.0 / 3, byte: 0.25))
    }

    @Test func `an invalid or truncated trace is rejected`() {
        let words: [UInt32] = [0, 2, 2, 0, 1]
        let bytes =
            Array("CTR1".utf8)
            + words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        #expect(CacheTrace(Data(bytes)) != nil)
        for length in 0..<bytes.count {
            #expect(CacheTrace(Data(bytes[..<length])) == nil, "\(length) bytes")
        }
        var foreignKey = bytes
        foreignKey[20] = 9
        #expect(CacheTrace(Data(foreignKey)) == nil)
    }

    @Test(.enabled(if: SharedTraces.isPresent, absence))
    func `LRU reproduces the published hit ratios`() throws {
        let oltp = try SharedTraces.read("arc_oltp")
        let published = [(250, 0.1647), (1_000, 0.3283)]
        for (capacity, ratio) in published {
            #expect(
                abs(oltp.hitRatios(capacity: capacity, policy: .lru).object - ratio) < 0.00005,
                "\(capacity)"
            )
        }
        let web = try SharedTraces.read("web_adaptsize").hitRatios(capacity: 3_042_135, policy: .lru)
        #expect(abs(web.object - 0.2093) < 0.00005)
        #expect(abs(web.byte - 0.2450) < 0.00005)
    }

    @Test(.enabled(if: SharedTraces.isPresent, absence))
    func `S3-FIFO reproduces the measured hit ratios`() throws {
        let web = try SharedTraces.read("web_adaptsize")
        for (fraction, ratio) in [(0.01, 0.253), (0.1, 0.358)] {
            let measured = web.hitRatios(capacity: Int(Double(web.footprint) * fraction), policy: .s3fifo)
                .object
            #expect(abs(measured - ratio) < 0.002, "\(fraction): \(measured)")
        }
    }

    @Test(.enabled(if: SharedTraces.isPresent, absence), arguments: [0.01, 0.1, 0.3])
    func `DUO is within a point of the better policy`(fraction: Double) throws {
        for name in ["web_elastic_images", "lirs_zigzag", "lirs_backf"] {
            let trace = try SharedTraces.read(name)
            let capacity = max(1, Int(Double(trace.footprint) * fraction))
            let ratios = [EvictionPolicyKind.lru, .s3fifo, .duo].map {
                trace.hitRatios(capacity: capacity, policy: $0).object
            }
            #expect(ratios[2] > max(ratios[0], ratios[1]) - 0.01, "\(name) at \(fraction): \(ratios)")
        }
    }
}
