import Calotype
import Hummingbird
import Logging
import NIOCore

/// Serves thumbnails of images of other sites: `/thumbnail?url=https://…&width=320`.
@main struct ThumbnailService {
    static func main() async throws {
        let settings = DiskSettings(sizeLimit: 10 << 30, expiry: .afterAccess(.seconds(30 * 86_400)))
        let disk = try DiskCache(DiskCache.Configuration(namespace: "thumbnails", settings: settings))
        let pipeline = ImagePipeline(
            .init(
                cache: ImageCache(disk: disk),
                loader: RoutingLoader.publicWeb(),
                observers: [MetricsObserver(), LogObserver(Logger(label: "thumbnails"))]
            )
        )
        let router = Router()
        router.get("thumbnail") { request, _ in
            do {
                let image = try await pipeline.data(for: imageRequest(request.uri.queryParameters))
                let headers: HTTPFields = [
                    .contentType: "image/webp", .cacheControl: "public, max-age=86400",
                ]
                return Response(
                    status: .ok,
                    headers: headers,
                    body: .init(byteBuffer: ByteBuffer(bytes: image.data))
                )
            } catch let error as LoadError {
                let isOrigin = error.stage == .load
                throw HTTPError(isOrigin ? .badGateway : .unprocessableContent, message: error.codeLabel)
            }
        }
        try await Application(router: router).runService()
        try await pipeline.shutdown()
    }

    static func imageRequest(_ parameters: Parameters) throws -> ImageRequest {
        guard var request = ImageRequest(addressOrPath: try parameters.require("url")) else {
            throw HTTPError(.badRequest, message: "url: not a URL")
        }
        let width = parameters.get("width", as: Int.self) ?? 320
        guard (1...2_000).contains(width) else {
            throw HTTPError(.badRequest, message: "width: not 1...2000")
        }
        request.decoding.target = .fit(PixelBox(width: width))
        request.decoding.frames = .first
        request.encoding = ImageEncoding(WebPEncoder(quality: 80))
        return request
    }
}
