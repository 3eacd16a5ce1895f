import CalotypeSandbox
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing
import WorkerSupport

@testable import Calotype
@testable import CalotypeServer

/// Admission of images before a worker starts with them.
@Suite(.blocking, .enabled(Workers.advice, Workers.isAvailable)) struct WorkerAdmissionTests {
    @Test func `a worker gets an image only within the pixel budget, however many workers are idle`()
        async throws
    {
        let workers = try await Workers.started(maxCount: 2) { $0.arguments = ["jxl"] }
        // Its header is readable, and its decode does not end.
        let source = HostileWorkerTests.signature + Data("HOSTILE later loop".utf8)
        let bench = try ServiceBench { request, _ in .network(request.url, source) }
        let service = bench.service(maxByteCount: 1, codecs: workers.codecs(.standard))
        let budget = try #require(service.pipeline.stages.limits.making?.pixels)
        func ask(_ name: String) -> Task<ServiceResponse, any Error> {
            let request = ServiceRequest(target: "/unsafe/w:2/plain/http://src.test/\(name)")
            return Task { try await service.response(to: request) }
        }
        let first = ask("a")
        while budget.heldByteCount == 0 || workers.statistics.busyCount == 0 { await Task.yield() }
        let second = ask("b")
        while budget.waitingCount == 0 { await Task.yield() }
        #expect(workers.statistics.busyCount == 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        while budget.waitingCount > 0 || budget.heldByteCount == 0 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        // Returned once the worker has been terminated.
        while budget.heldByteCount > 0 { await Task.yield() }
        #expect(budget.waitingCount == 0)
    }
}
