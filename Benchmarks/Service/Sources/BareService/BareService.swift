import HTTPTypes
import Hummingbird

/// Answers a file's bytes at `/`, and 304 without any at `/304`, both with fields that are given: as fast as
/// a service on Hummingbird that answers the same bytes can be.
///
///     BareService PORT FILE [NAME:VALUE]…
@main
struct BareService {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let port = Int(arguments[1]) else {
            fatalError("usage: BareService PORT FILE [NAME:VALUE]…")
        }
        var fields = HTTPFields()
        for argument in arguments.dropFirst(3) {
            let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2, let name = HTTPField.Name(parts[0]) else {
                fatalError("\(argument) is no field of a head")
            }
            fields.append(HTTPField(name: name, value: parts[1]))
        }
        let (head, bytes) = (fields, try await FileReader.bytes(of: arguments[2]))
        let router = Router()
        router.get("/") { _, _ in
            Response(
                status: .ok,
                headers: head,
                body: ResponseBody(byteBuffer: bytes)
            )
        }
        var bodiless = head
        bodiless[.contentType] = nil
        bodiless[.contentDisposition] = nil
        router.get("/304") { [bodiless] _, _ in Response(status: .notModified, headers: bodiless) }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port))
        )
        try await application.runService()
    }
}
