import CalotypeCore
import CalotypeServer
import FoundationEssentials
import HTTPTypes
import NIOCore

/// The routes of the admin listener that take a JSON body.
extension AdminRoutes {
    private struct PurgeBody: Decodable {
        let source: String?
        let prefix: String?
        let all: Bool?

        /// The selection, or `nil` if the body names none, or several.
        var selection: PurgeSelection? {
            switch (source, prefix, all ?? false) {
            case (let source?, nil, false) where !source.isEmpty: .source(source)
            case (nil, let prefix?, false) where !prefix.isEmpty: .prefix(prefix)
            case (nil, nil, true): .all
            default: nil
            }
        }
    }

    private struct PathBody: Decodable {
        let path: String
        let grammar: String?
        let accept: String?

        var kind: ImageService.Grammar? { ImageService.Grammar(rawValue: grammar ?? "imgproxy") }
    }

    private struct PurgeAnswer: Encodable {
        let originals: Int
        let results: Int
    }

    func purge(_ request: ListenerRequest) async throws -> ListenerResponse {
        guard let selection = body(PurgeBody.self, of: request)?.selection else {
            let text = "The body must be {\"source\": \"URL\"}, {\"prefix\": \"TEXT\"} or {\"all\": true}"
            return problem(.badRequest, text)
        }
        do {
            let report = try await service.purge(selection)
            purgeHandler?(selection, report, request)
            let answer = PurgeAnswer(originals: report.originals, results: report.results)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return .json(try encoder.encode(answer))
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as RequestError {
            return problem(.badRequest, error.description)
        } catch {
            return problem(.internalServerError, "A store failed; the others are purged: \(error)")
        }
    }

    func sign(_ request: ListenerRequest) -> ListenerResponse {
        guard let asked = body(PathBody.self, of: request), let grammar = asked.kind else {
            return problem(.badRequest, "The body must be {\"path\": \"/…\", \"grammar\": \"imgproxy\"}")
        }
        do throws(RequestError) {
            let target = try service.signed(asked.path, in: grammar)
            return .json(Self.json(["target": target, "url": place.pictures + target]))
        } catch {
            return problem(.badRequest, error.description)
        }
    }

    /// Returns the image at a path, which the service signs itself.
    func picture(_ request: ListenerRequest) async throws -> ListenerResponse {
        guard let asked = body(PathBody.self, of: request), let grammar = asked.kind else {
            return problem(.badRequest, "The body must be {\"path\": \"/…\", \"grammar\": \"imgproxy\"}")
        }
        let target: String
        do throws(RequestError) {
            target = try service.signed(asked.path, in: grammar)
        } catch {
            return problem(.badRequest, error.description)
        }
        var picture = ServiceRequest(target: target, accept: asked.accept)
        picture.requestID = request.id
        var answer = ListenerResponse(try await service.response(to: picture))
        answer.head.headerFields[.cacheControl] = "no-store"
        return answer
    }

    private func body<Body: Decodable>(_ type: Body.Type, of request: ListenerRequest) -> Body? {
        do {
            return try JSONDecoder().decode(Body.self, from: Data(request.body.readableBytesView))
        } catch {
            // The caller reports the expected body.
            return nil
        }
    }

    private func problem(_ status: HTTPResponse.Status, _ text: String) -> ListenerResponse {
        .json(Self.json(["error": text]), status)
    }

    private static func json(_ members: [String: String]) -> Data {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(members)
        } catch {
            // Strings can always be encoded.
            return Data("{}".utf8)
        }
    }
}
