import Calotype

@main struct LoadAnImage {
    static func main() async throws {
        try await thumbnail()
        try await withOwnLimits()
        try await playing()
        try await watching(.shared, "https://example.org/cat.jpeg")
        try await transforming(.shared)
        try await serving(.shared)
    }

    static func thumbnail() async throws {
        var request: ImageRequest = "https://example.org/cat.jpeg"
        request.decoding.target = .fit(PixelBox(width: 320))

        let loaded = try await ImagePipeline.shared.load(request)
        print("\(loaded.image.size) from \(loaded.source)")  // network; then memory; in the next run disk

        let jpeg = try JPEGEncoder(quality: 82).encode(loaded.image)
        print("\(jpeg.count) bytes of JPEG")
    }

    static func withOwnLimits() async throws {
        let settings = DiskSettings(sizeLimit: 200 << 20, expiry: .afterAccess(.seconds(86_400)))
        let disk = try DiskCache(DiskCache.Configuration(namespace: "thumbnails", settings: settings))
        let memory = ImageCache.Memory(costLimit: 64 << 20)
        let pipeline = ImagePipeline(
            ImagePipeline.Configuration(
                cache: ImageCache(memory: memory, disk: disk),
                loader: RoutingLoader.standard()
            )
        )
        _ = try await pipeline.data(for: "https://example.org/cat.jpeg").data
        try await pipeline.shutdown()
    }

    static func playing() async throws {
        let loaded = try await ImagePipeline.shared.load("https://example.org/cat.gif")
        guard let animation = loaded.image.animation else { return }
        for try await frame in AnimationPlayer(animation).frames {
            print("frame \(frame.index): \(frame.image.size)")
        }
    }

    static func watching(_ pipeline: ImagePipeline, _ request: ImageRequest) async throws {
        for try await event in pipeline.events(for: request) {
            switch event {
            case .progress(let progress): print("\(progress.byteCount) bytes")
            case .preview(let image): print("a preview of \(image.size)")
            case .finished(let loaded): print("\(loaded.image.size) from \(loaded.source)")
            }
        }
    }

    static func transforming(_ pipeline: ImagePipeline) async throws {
        var avatar: ImageRequest = "https://example.org/cat.jpeg"
        let side = PixelSize(width: 160, height: 160)
        avatar.transforms = [.resize(toFill: side), .smartCrop(to: side), .circle()]
        let disc = try await pipeline.image(for: avatar)
        print("\(disc.size), its corners transparent")
    }

    static func serving(_ pipeline: ImagePipeline) async throws {
        var thumbnail: ImageRequest = "https://example.org/cat.jpeg"
        thumbnail.decoding.target = .fit(PixelBox(width: 320))
        thumbnail.encoding = ImageEncoding(WebPEncoder(quality: 80))
        thumbnail.httpCaching = .respectsHTTP  // fresh, stale and validated as its origin says
        let webP = try await pipeline.data(for: thumbnail)
        print("\(webP.data.count) bytes, \(webP.entityTag)")
    }
}
