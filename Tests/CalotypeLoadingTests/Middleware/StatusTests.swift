import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct `Statuses and middleware` {
    @Test func `an error status set by a middleware is an error`() async {
        let plain = ScriptedDataLoader { _, _ in .chunks([sampleBytes(10)]) }
        let loader = MiddlewareLoader(plain, [ResponseModifier { $0.status = 404 }])
        let error = await failure { try await loader.response(for: .sample()) }
        #expect((error?.code, error?.status) == (.unacceptableStatus, 404))
    }

    @Test func `a middleware that accepts all statuses may turn one into a response, or not`() async throws {
        let routes = ["/a": OriginResponse.status(404, text: "a picture"), "/b": .status(410)]
        try await withOrigin(routes) { origin, http async throws in
            let loader = MiddlewareLoader(
                http,
                [
                    RequestModifier { $0.acceptedStatuses = Set(100...599) },
                    ResponseModifier { if $0.status == 404 { $0.status = 200 } },
                ]
            )
            let found = try await loader.response(for: FetchRequest(url: origin.url("/a")))
            #expect(found.status == 200)
            #expect(try await found.collected() == Data("a picture".utf8))
            let error = await failure { try await loader.data(origin.url("/b")) }
            #expect((error?.code, error?.status) == (.unacceptableStatus, 410))
        }
    }

    @Test func `a status accepted by the configuration stays accepted`() async throws {
        var configuration = HTTPDataLoader.Configuration.patient
        configuration.acceptedStatuses = [404]
        try await withOrigin(["/a": .status(404)], configuration) { origin, http async throws in
            let loader = MiddlewareLoader(http, [RequestModifier { _ in }])
            #expect(try await loader.response(for: FetchRequest(url: origin.url("/a"))).status == 404)
        }
    }

    @Test func `after a cancellation the next loader is not called, even past an unaware middleware`() async {
        let plain = ScriptedDataLoader { _, _ in .chunks([]) }
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let deaf = RequestModifier { _ in
            reached.open()
            await gate.wait()
        }
        for middleware in [[deaf], [deaf, RequestModifier { _ in Issue.record("it was called") }]] {
            let task = Task { try await MiddlewareLoader(plain, middleware).response(for: .sample()) }
            await reached.wait()
            task.cancel()
            gate.open()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(plain.requests.isEmpty)
    }
}
