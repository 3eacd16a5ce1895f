import AsyncHTTPClientLoader
import Calotype

/// Loads the pictures whose URLs it is given, through a client of the program's own, and says what they are.
@main
struct LoadAnImage {
    static func main() async throws {
        let web = RetryingLoader(AsyncHTTPClientLoader())
        let loader = RoutingLoader([.http: web, .https: web])
        let pipeline = ImagePipeline(ImagePipeline.Configuration(loader: loader))
        for text in CommandLine.arguments.dropFirst() {
            let image = try await pipeline.image(for: ImageRequest(text))
            print("\(text): \(image.size)")
        }
        try await pipeline.shutdown()
    }
}
