import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Two hundred loads of an origin that fails in one way, beside a healthy origin.
@Suite(.waiting) struct PeerMatrixTests {
    /// The failure of an origin and the part of the response in which it occurs.
    enum Fault: String, CaseIterable {
        case silentHead, trickledHead, closedHead, silentBody, trickledBody, closedBody, longerBody, busy
        case silentValidation
    }

    private func answer(_ fault: Fault, _ gate: OriginGate) -> OriginResponse {
        let bytes = OriginResponse.Step.bytes(Data(count: 500))
        let head = OriginResponse.Step.bytes(Data("HTTP/1.1 200 OK\r\nContent-".utf8))
        switch fault {
        case .silentHead, .silentValidation: return OriginResponse.body(Data([1])).held(by: gate)
        case .trickledHead: return OriginResponse(framing: .raw, steps: [head, .wait(gate), .close])
        case .closedHead: return OriginResponse(framing: .raw, steps: [.close])
        case .silentBody:
            return OriginResponse(framing: .announced(60 << 20), steps: [bytes, .wait(gate), .close])
        case .trickledBody:
            return OriginResponse(framing: .chunked, steps: [bytes, .wait(gate), bytes, .wait(gate), .close])
        case .closedBody: return .body(Data(count: 500), announcing: 60 << 20)
        case .longerBody:
            let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
            return .raw(Data(text.utf8) + Data(count: 500))
        case .busy: return .status(503)
        }
    }

    private func pipeline(_ time: ManualTimeSource) -> ImagePipeline {
        var codecs = CodecRegistry.standard
        codecs.register(FakeImageDecoder())
        let loader = RoutingLoader.standard(.patient)
        let cache = ImageCache(stores: [FakeByteStore()], codecs: codecs)
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader).patient
        configuration.maxByteCountInFlight = 64 << 20
        configuration.timeSource = time
        return ImagePipeline(configuration)
    }

    @Test(arguments: Fault.allCases)
    func `a failing origin affects only its own loads`(fault: Fault) async throws {
        let (gate, isFaulty, time) = (
            OriginGate(), SharedState(fault != .silentValidation), ManualTimeSource()
        )
        let image = FakeImageDecoder.data(width: 7, height: 3)
        let fields = [OriginField("Cache-Control", "max-age=60"), OriginField("ETag", "\"1\"")]
        let sound = OriginResponse(headers: fields, steps: [.bytes(image)])
        let ill = try await LoopbackOrigin.start { _ in isFaulty.value ? answer(fault, gate) : sound }
        let well = try await LoopbackOrigin.start { _ in sound }
        let pipeline = pipeline(time)
        let requests = (0..<200).map { number in
            ImageRequest(url: ill.url("/\(number)"), httpCaching: .respectsHTTP)
        }
        if fault == .silentValidation {
            for request in requests { _ = try await pipeline.image(for: request) }
            await pipeline.untilIdle()
            isFaulty.withLock { $0 = true }
            time.advance(by: .seconds(61))
        }
        let before = await ill.activity.snapshot.requests.count
        let loads = requests.map { request in Task { try await pipeline.image(for: request) } }
        while await ill.activity.snapshot.requests.count < before + 6 { await Task.yield() }
        // If the faulty origin hangs, none of its loads can end before these do.
        for number in 0..<20 {
            let request = ImageRequest(url: well.url("/\(number)"))
            #expect(try await pipeline.image(for: request).size.width == 7)
        }
        for load in loads { load.cancel() }
        for load in loads { _ = await load.result }
        await gate.open()
        try await pipeline.shutdown()
        await ill.close()
        await well.close()
    }
}
