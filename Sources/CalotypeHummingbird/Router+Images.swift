public import CalotypeServer
import FoundationEssentials
import HTTPTypes
public import Hummingbird

extension Router {
    /// Adds the routes of an image service to an application: `GET`, `HEAD` and `OPTIONS` (and `POST` if the
    /// service accepts uploads) of all paths below a prefix without a route of their own, and `health`, which
    /// responds while the process is alive.
    ///
    /// The application's server limits headers, connections and slow clients.
    ///
    /// The path must arrive as in the request line: a router or proxy in front that decodes or merges
    /// segments breaks signatures.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - path: The path prefix, such as `/images`; all paths of the application unless given.
    /// - Returns: The router.
    @discardableResult
    public func addImages(of service: ImageService, below path: String = "") -> Self {
        let responder = ServiceResponder(service, below: path)
        for method in ServiceResponder.methods {
            on(RouterPath("\(responder.prefix)/**"), method: method) { request, _ in
                let answer = try await responder.response(to: request.head, target: request.target)
                let response = Response(answer)
                return method == .head ? response.createHeadResponse() : response
            }
        }
        guard service.acceptsUploads else { return self }
        return on(RouterPath("\(responder.prefix)/**"), method: .post) { request, _ in
            Response(try await responder.uploadResponse(to: request))
        }
    }
}

extension Request {
    /// The path with its query, which is part of some grammars.
    fileprivate var target: String { head.path ?? uri.path }
}

extension Response {
    fileprivate init(_ answer: ListenerResponse) {
        self.init(
            status: answer.head.status,
            headers: answer.head.headerFields,
            body: answer.longBody.map(Self.body) ?? ResponseBody(byteBuffer: answer.body)
        )
    }

    /// Returns a body that is copied in slices as the client takes them.
    private static func body(_ bytes: Data) -> ResponseBody {
        ResponseBody(contentLength: bytes.count) { writer in
            var start = 0
            while let slice = bytes.nextSlice(&start) { try await writer.write(slice) }
            try await writer.finish(nil)
        }
    }
}

extension ServiceResponder {
    /// Receives the body of an upload, and returns the response.
    fileprivate func uploadResponse(to request: Request) async throws -> ListenerResponse {
        switch intake(request.head, target: request.target) {
        case .standard: return try await response(to: request.head, target: request.target)
        case .refused(let answer): return answer
        case .upload(let upload, let failure):
            let refusal = try await withThrowingTaskGroup(of: ListenerResponse?.self) { group in
                group.addTask { try await receive(request.body, by: upload, failure) }
                group.addTask {
                    try await ContinuousClock().sleep(until: upload.deadline)
                    throw HTTPError(.requestTimeout, message: "Request body took too long")
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            if let refusal { return refusal }
            return try await response(to: upload, of: request.head)
        }
    }

    /// Receives a body.
    ///
    /// - Returns: The response if that fails.
    private func receive(
        _ body: RequestBody,
        by upload: Upload,
        _ failure: @Sendable (any Error) -> ListenerResponse
    ) async throws -> ListenerResponse? {
        for try await bytes in body {
            do {
                try await upload.receive(bytes.readableBytesView)
            } catch let error as CancellationError {
                throw error
            } catch {
                return failure(error)
            }
        }
        // A cancelled body ends without an error.
        try Task.checkCancellation()
        return nil
    }
}
