import Calotype

@main struct LoadAnImage {
    static func main() async throws {
        let pipeline = ImagePipeline.shared
        var request: ImageRequest = "https://example.org/cat.jpeg"
        request.decoding.target = .fit(PixelBox(width: 320))

        let loaded = try await pipeline.load(request)
        print("\(loaded.image.size) from \(loaded.source)")  // network; then memory; in the next run disk
        let thumbnail = try JPEGEncoder(quality: 82).encode(loaded.image)
        print("\(thumbnail.count) bytes of JPEG")
        try await pipeline.shutdown()
    }
}
