import Calotype
import CalotypeHummingbird
import CalotypeServer
import Hummingbird

/// An application with routes of its own, and pictures of other sites below `/images`:
/// `/images/unsafe/rs:fit:320:320/plain/https://images.example/a.jpg`.
@main struct ThumbnailService {
    static func main() async throws {
        let router = Router()
        router.get("/") { _, _ in "Thumbnails are below /images.\n" }

        let disk = try DiskCache(
            namespace: "thumbnails",
            sizeLimit: 10 << 30,
            expiry: .afterAccess(.seconds(30 * 86_400))
        )
        // Visitors name the URLs: public addresses only, and formats whose decoders are bounded.
        let cache = ImageCache(disk: disk, codecs: .publicWeb)
        let configuration = ImageService.Configuration()

        // The pipeline that makes and caches images, the service that answers URLs, and its routes.
        let pipeline = ImageService.pipeline(
            .init(cache: cache, loader: try ImageService.loader(for: configuration))
        )
        let images = ImageService(pipeline: pipeline, configuration: configuration)
        router.addImages(of: images, below: "images")

        // `HOST` is 0.0.0.0 in a container; elsewhere a proxy on the same machine asks.
        let address = BindAddress.hostname(Environment().get("HOST") ?? "127.0.0.1", port: 8080)
        try await Application(router: router, configuration: .init(address: address)).runService()
        try await pipeline.shutdown()
    }
}
