import Calotype
import Hummingbird
import Logging
import NIOCore

/// Serves thumbnails of images of other sites: `/thumbnail?url=https://…&width=320`.
@main struct ThumbnailService {
    static func main() async throws {
        let disk = try DiskCache(
            namespace: "thumbnails",
            sizeLimit: 10 << 30,
            expiry: .afterAccess(.days(30))
        )
        let pipeline = ImagePipeline(
            .init(
                // Visitors name the URLs: public addresses only, and formats whose decoders are bounded.
                cache: ImageCache(disk: disk, codecs: .publicWeb),
                loader: RoutingLoader.publicWeb(),
                observers: [MetricsObserver(), LogObserver(Logger(label: "thumbnails"))]
            )
        )
        let router = Router()
        router.get("thumbnail") { request, _ in
            do {
                let image = try await pipeline.data(for: imageRequest(request.uri.queryParameters))
                return response(image, isKnown: request.headers[.ifNoneMatch] == image.entityTag)
            } catch let error as LoadError {
                throw HTTPError(status(for: error), message: error.code.label)
            }
        }
        // `HOST` is 0.0.0.0 in a container; elsewhere a proxy on the same machine asks.
        let address = BindAddress.hostname(Environment().get("HOST") ?? "127.0.0.1", port: 8080)
        try await Application(router: router, configuration: .init(address: address)).runService()
        try await pipeline.shutdown()
    }

    static func imageRequest(_ parameters: Parameters) throws -> ImageRequest {
        let text = try parameters.require("url")
        var request: ImageRequest
        do {
            request = try ImageRequest(text)
        } catch {
            throw HTTPError(.badRequest, message: error.description)
        }
        request.decoding.target = .fit(width: min(parameters.get("width", as: Int.self) ?? 320, 2_000))
        request.decoding.frames = .first
        request.encoding = .webP(quality: 80)
        request.httpCaching = .respectsHTTP
        return request
    }

    static func response(_ image: EncodedImage, isKnown: Bool) -> Response {
        let headers: HTTPFields = [
            .contentType: image.info.format.mediaType, .cacheControl: "public, max-age=86400",
            .eTag: image.entityTag,
        ]
        guard !isKnown else { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: image.data)))
    }

    /// What the visitor has done wrong, what the origin, and what is neither's fault.
    static func status(for error: LoadError) -> HTTPResponse.Status {
        switch (error.code, error.fault) {
        case (.addressRefused, _): .forbidden
        case (.timedOut, _): .gatewayTimeout
        case (.overloaded, _): .serviceUnavailable
        case (_, .caller): .badRequest
        case (_, .origin): error.httpStatus == 404 ? .notFound : .badGateway
        case (_, .input), (_, .limit): .unprocessableContent
        default: .internalServerError
        }
    }
}
