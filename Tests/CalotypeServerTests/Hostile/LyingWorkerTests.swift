import Calotype
import CalotypeSandbox
import CalotypeServer
import CalotypeTesting
import Foundation
import HostileCodec
import PipelineSupport
import TestSupport
import Testing
import WorkerSupport

/// A service whose workers forge each field of each reply, and exit at each point.
@Suite(.blocking, .enabled(Workers.advice, Workers.isAvailable)) struct LyingWorkerTests {
    private static let width = 8

    /// A file with the signature of a format that names the field to forge.
    private static func file(_ forgery: Forgery, _ number: Int) -> Data {
        let start = forgery.isAnimated ? Data("GIF89a".utf8) : Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10])
        // With unique content, so that nothing is shared or remembered.
        return start + Data("\(forgery) \(number)".utf8) + Data(repeating: 0, count: 200)
    }

    private static func service(_ workers: CodecWorkers, _ files: [Data]) throws -> ImageService {
        let bench = try ServiceBench { request, _ in
            .network(request.url, files[Int(request.url.lastPathComponent) ?? 0])
        }
        return bench.service(codecs: workers.codecs(.standard)) { $0.limits.maxDuration = .milliseconds(300) }
    }

    @Test(arguments: [false, true])
    func `a service survives each false reply and each exit of a worker`(
        isAnimated: Bool
    ) async throws {
        let workers = try await Workers.started(maxCount: Self.width) {
            $0.arguments = ["liar"]
            $0.maxEncodeDuration = .milliseconds(300)
            $0.maxTransformDuration = .milliseconds(300)
            $0.maxMemoryByteCount = 64 << 20
        }
        let truth = Forgery.none(isAnimated: isAnimated)
        // The requests of the service to its workers.
        let jobs = [0, 1, 2, 3, 5, 7, 8]
        let forgeries = Forgery.all(isAnimated: isAnimated).filter { jobs.contains($0.job) }
        let files = (forgeries + [truth]).enumerated().map { Self.file($1, $0) }
        let service = try Self.service(workers, files)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            var statuses: [Int: Int] = [:]
            for (number, forgery) in forgeries.enumerated() {
                if number >= Self.width, let status = try await group.next() {
                    statuses[status, default: 0] += 1
                }
                group.addTask {
                    let path = "plain/http://src.test/\(number)"
                    let target = "/unsafe/w:12/bl:1/\(path)@\(isAnimated ? "gif" : "png")"
                    let answer = try await service.response(to: ServiceRequest(target: target))
                    let (status, text) = (
                        answer.status, String(decoding: answer.body.prefix(200), as: UTF8.self)
                    )
                    // A false reply to a pixel job is not the fault of the file.
                    let isAllowed = [200, 422, 503].contains(status) || status == 500 && forgery.job >= 5
                    #expect(isAllowed, "\(forgery): \(status) \(text)")
                    let info = ServiceRequest(target: "/info/unsafe/\(path)")
                    let infoStatus = try await service.response(to: info).status
                    #expect([200, 422, 503].contains(infoStatus), "\(forgery): \(infoStatus)")
                    return status
                }
            }
            for try await status in group { statuses[status, default: 0] += 1 }
            return statuses
        }
        let next = "/unsafe/w:9/plain/http://src.test/\(forgeries.count)@\(isAnimated ? "gif" : "png")"
        let answer = try await service.response(to: ServiceRequest(target: next))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 200 && answer.body.count == 100, "\(answer.status) \(text)")
        #expect(statuses[422, default: 0] + statuses[500, default: 0] > 200, "\(statuses)")
    }
}
