import Hummingbird

/// Answers a file's bytes at `/`, and 304 without any at `/304`: as fast as a service on Hummingbird can be.
///
///     BareService PORT FILE
@main
struct BareService {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[1]) else {
            fatalError("usage: BareService PORT FILE")
        }
        let bytes = try await FileReader.bytes(of: arguments[2])
        let router = Router()
        router.get("/") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "image/jpeg"],
                body: ResponseBody(byteBuffer: bytes)
            )
        }
        router.get("/304") { _, _ in Response(status: .notModified) }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port))
        )
        try await application.runService()
    }
}
