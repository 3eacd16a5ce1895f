import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport

/// A service over test doubles: an image of 120×90 at every URL of `src.test`, fresh for ten minutes.
struct ServiceBench {
    let store = FakeByteStore()
    let time = ManualTimeSource()
    let loader: ScriptedDataLoader
    var staleAllowance = StaleAllowance()

    init(_ answer: ScriptedDataLoader.Script? = nil) throws {
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        let data = try JPEGEncoder(quality: 90).encode(picture)
        loader = ScriptedDataLoader(
            answer ?? { request, _ in .network(request.url, data, ["Cache-Control": "max-age=600"]) }
        )
    }

    func service(
        work: Int = 4,
        waiting: Int = 16,
        maxByteCount: Int = 256 << 20,
        codecs: CodecRegistry = .publicWeb,
        _ configure: (inout ImageService.Configuration) -> Void = { _ in }
    ) -> ImageService {
        let memory = ImageCache.Memory(pressureSource: nil)
        let cache = ImageCache(memory: memory, stores: [store], codecs: codecs)
        var pipeline = ImagePipeline.Configuration(cache: cache, loader: loader)
        pipeline.timeSource = time
        pipeline.storeTimeout = .seconds(600)
        pipeline.staleAllowance = staleAllowance
        var configuration = ImageService.Configuration.patient
        configuration.timeSource = time
        configuration.encodings.codecs = codecs
        configure(&configuration)
        return ImageService(
            pipeline: ImageService.pipeline(
                pipeline,
                maxWorkCount: work,
                maxWaitingCount: waiting,
                maxWorkByteCount: maxByteCount
            ),
            configuration: configuration
        )
    }
}
