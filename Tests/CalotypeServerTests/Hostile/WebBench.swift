import Calotype
import CalotypeLoading
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport

/// A service over real HTTP with its production loader.
struct WebBench {
    let origin: LoopbackOrigin
    let service: ImageService

    /// An image of 120×90.
    static func picture() throws -> Data {
        try JPEGEncoder(quality: 90).encode(TestImages.photograph(PixelSize(width: 120, height: 90)))
    }

    /// Runs a body with a service that may load from this machine, and an origin on it.
    static func with(
        _ configure: (inout ImageService.Configuration, _ origin: LoopbackOrigin) throws -> Void = { _, _ in
        },
        origin handler: @escaping LoopbackOrigin.Handler,
        _ body: (WebBench) async throws -> Void
    ) async throws {
        let origin = try await LoopbackOrigin.start(handler)
        var configuration = ImageService.Configuration.patient
        try configure(&configuration, origin)
        let loader = try ImageService.unrestrictedLoader(
            for: configuration,
            http: .patient,
            retry: .none
        )
        let service = service(loader, configuration)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(WebBench(origin: origin, service: service)))
        } catch {
            outcome = .failure(error)
        }
        try await service.pipeline.shutdown()
        await origin.close()
        try outcome.get()
    }

    /// A service with a loader and a memory cache only.
    static func service(
        _ loader: any DataLoader,
        _ configuration: ImageService.Configuration
    ) -> ImageService {
        let cache = ImageCache(stores: [FakeByteStore()], codecs: .publicWeb)
        let pipeline = ImageService.pipeline(.init(cache: cache, loader: loader).patient)
        return ImageService(pipeline: pipeline, configuration: configuration)
    }

    /// Requests the image at a path of the origin.
    func ask(_ path: String, width: Int = 30) async throws -> ServiceResponse {
        let source = origin.url(path).absoluteString
        return try await service.response(
            to: ServiceRequest(target: "/unsafe/w:\(width)/plain/\(source)")
        )
    }
}
