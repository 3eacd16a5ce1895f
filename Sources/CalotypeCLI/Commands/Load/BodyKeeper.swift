import CalotypeLoading
import CalotypeSupport
import Foundation

/// Keeps the bodies that another loader gives, for whoever takes them.
///
/// Each body that came whole is kept until it is taken, so whoever loads through this takes what he loads.
final class BodyKeeper: DataLoader {
    private let loader: any DataLoader
    private let bodies = Guarded<[URL: Data]>([:])

    init(_ loader: any DataLoader) {
        self.loader = loader
    }

    /// The body of a URL, which is forgotten with this; `nil` where none has come since.
    func take(_ url: URL) -> Data? {
        bodies.withLock { $0.removeValue(forKey: url) }
    }

    func response(for request: FetchRequest) async throws -> FetchResponse {
        var response = try await loader.response(for: request)
        let body = response.body
        response.body = FetchBody { [self] in
            var chunks = body.makeAsyncIterator()
            var data = Data()
            return FetchBody.Iterator {
                guard let chunk = try await chunks.next() else {
                    let whole = data
                    self.bodies.withLock { $0[request.url] = whole }
                    return nil
                }
                data.append(chunk)
                return chunk
            }
        }
        return response
    }

    func shutdown() async {
        await loader.shutdown()
    }
}
