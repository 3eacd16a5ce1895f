import Calotype
import CalotypeSandbox
import CalotypeServer
import CalotypeTesting
import Foundation
import PipelineSupport
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

/// Hostile JPEG XL images requested from a service with worker codecs.
@Suite(.blocking, .enabled(Workers.advice, Workers.isAvailable)) struct HostileWorkerTests {
    /// The signature of the JPEG XL container (ISO/IEC 18181-2 section 9.1).
    static let signature = Data([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10])
    private static let evil = "plain/http://src.test/evil"

    private static func service(
        _ workers: CodecWorkers,
        source: Data,
        _ configure: (inout ImageService.Configuration) -> Void = { _ in }
    ) throws -> ImageService {
        let good = try WebBench.picture()
        let bench = try ServiceBench { request, _ in
            .network(request.url, request.url.path() == "/photo.jpg" ? good : source)
        }
        return bench.service(codecs: workers.codecs(.standard), configure)
    }

    /// Requests a valid image without a time limit.
    private static func expectNext(
        of workers: CodecWorkers,
        _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let service = try Self.service(workers, source: Data())
        let next = try await service.response(to: ServiceRequest(target: "/unsafe/w:9/\(examplePath)"))
        #expect(next.status == 200, comment, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        ("loop", 422, "timedOut"), ("allocate", 422, "memoryExceeded"), ("null", 422, "crashed"),
    ])
    func `a JPEG XL exploit gets one clear refusal, and the next image is encoded`(
        deed: String,
        status: Int,
        code: String
    ) async throws {
        // Instead of libjxl, a fake codec performs the deed named after the container signature.
        let workers = try await Workers.started(maxCount: 1) {
            $0.arguments = ["jxl"]
            $0.maxMemoryByteCount = 200 << 20
        }
        let source = Self.signature + Data("HOSTILE \(deed)".utf8)
        let service = try Self.service(workers, source: source) {
            if deed == "loop" { $0.limits.maxDuration = .seconds(1) }
        }
        for target in ["/unsafe/w:30/\(Self.evil)", "/info/unsafe/\(Self.evil)"] {
            let answer = try await service.response(to: ServiceRequest(target: target))
            #expect(answer.status == status && answer["Cache-Control"] == "no-store", "\(target)")
            // Or no other worker became available in time, which has the same status.
            let isTold = [code, deed == "loop" ? "workerUnavailable" : code].contains {
                String(decoding: answer.body, as: UTF8.self).hasSuffix("(\($0))\n")
            }
            #expect(isTold, "\(target): \(String(decoding: answer.body, as: UTF8.self))")
            try await Self.expectNext(of: workers)
        }
        #expect(workers.statistics.lossCounts[try #require(.init(rawValue: code))] ?? 0 > 0)
    }

    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
    func `each known JPEG XL exploit gives an image or one clear refusal, and the next one works`()
        async throws
    {
        let folder = try #require(SharedCorpus.root).appending(path: "hostile")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".jxl") }
        #expect(names.count > 4)
        let workers = try await Workers.started(maxCount: 1) { $0.maxMemoryByteCount = 400 << 20 }
        for name in names {
            let source = try Data(contentsOf: folder.appending(path: name))
            let service = try Self.service(workers, source: source)
            for target in ["/unsafe/w:30/\(Self.evil)", "/info/unsafe/\(Self.evil)"] {
                let status = try await service.response(to: ServiceRequest(target: target)).status
                #expect(status == 200 || status == 422, "\(name) \(target): \(status)")
            }
            try await Self.expectNext(of: workers, "\(name)")
        }
        #expect(workers.statistics.lostCount == 0)
    }

    @Test func `a valid JPEG XL is served like other formats`() async throws {
        let picture = TestImages.photograph(PixelSize(width: 64, height: 48))
        let source = try JPEGXLEncoder(effort: 3).encode(picture)
        let service = try Self.service(try await Workers.shared, source: source)
        let target = "/unsafe/w:32/\(Self.evil)"
        let plain = try await service.response(to: ServiceRequest(target: target))
        // A format that not all browsers support is converted.
        #expect(plain.status == 200 && plain["Content-Type"] == "image/jpeg")
        let named = try await service.response(to: ServiceRequest(target: "\(target)@jxl"))
        #expect(named.status == 200 && named["Content-Type"] == "image/jxl")
        #expect(try CodecRegistry.standard.decode(named.body).size == PixelSize(width: 32, height: 24))
    }
}
