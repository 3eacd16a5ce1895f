import AsyncHTTPClient
import Calotype
import FoundationEssentials
import NIOCore
import NIOFoundationCompat

/// Loads over an `HTTPClient` that the program has already.
///
/// The client decides about proxies, certificates and redirects. The loader does not see the redirects that
/// the client follows, so the freshness of a redirect is not counted. For URLs that visitors name, use
/// `HTTPDataLoader`, which checks each address before it connects; a client does not.
public struct AsyncHTTPClientLoader: DataLoader {
    private let client: HTTPClient
    private let timeout: TimeAmount

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - client: The client; it stays its owner's, who shuts it down.
    ///   - timeout: How long a load may take as a whole, its body included.
    public init(_ client: HTTPClient = .shared, timeout: TimeAmount = .seconds(60)) {
        self.client = client
        self.timeout = timeout
    }

    /// Starts a load.
    ///
    /// - Throws: `FetchError`, or `CancellationError`.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        guard request.method == "GET", request.body == nil else {
            throw FetchError(.invalidRequest, detail: "this loader only gets")
        }
        var message = HTTPClientRequest(url: request.url.absoluteString)
        for field in request.headers {
            message.headers.add(name: field.name, value: field.value)
        }
        let asked = ContinuousClock.now
        let answer = try await throwingFetchErrors { try await client.execute(message, timeout: timeout) }
        let status = Int(answer.status.code)
        guard status == 200 || request.expects(status) else {
            throw FetchError(
                .unacceptableStatus,
                status: status,
                isRetryable: [408, 425, 429, 500, 502, 503, 504].contains(status),
                retryAfter: answer.headers.first(name: "Retry-After").flatMap { Int($0) }.map {
                    .seconds($0)
                },
                detail: "the server answered \(status)"
            )
        }
        var response = FetchResponse(
            origin: .network,
            url: answer.url ?? request.url,
            status: status,
            headers: answer.headers.map { HeaderField($0.name, $0.value) },
            expectedByteCount: answer.headers.first(name: "Content-Length").flatMap { Int($0) },
            body: body(answer.body, maxByteCount: request.maxByteCount)
        )
        response.responseTime = asked.duration(to: .now)
        return response
    }

    /// The body in the client's chunks; an error where there are more bytes than allowed.
    private func body(_ body: HTTPClientResponse.Body, maxByteCount: Int) -> FetchBody {
        FetchBody {
            var chunks = body.makeAsyncIterator()
            var rest = maxByteCount
            return FetchBody.Iterator {
                // A chunk has at least one byte.
                while let buffer = try await throwingFetchErrors({ try await chunks.next() }) {
                    if buffer.readableBytes == 0 { continue }
                    rest -= buffer.readableBytes
                    guard rest >= 0 else {
                        throw FetchError(
                            .bodyTooLarge,
                            detail: "the body has more than the \(maxByteCount) bytes that are allowed"
                        )
                    }
                    return Data(buffer: buffer)
                }
                return nil
            }
        }
    }
}

extension FetchRequest {
    /// Whether it asks for a part, or whether what is kept still holds, and so may be answered with `status`.
    fileprivate func expects(_ status: Int) -> Bool {
        let names = Set(headers.map { $0.name.lowercased() })
        return switch status {
        case 206: names.contains("range")
        case 304: names.contains("if-none-match") || names.contains("if-modified-since")
        default: false
        }
    }
}

/// Does what the client does, and turns its errors into those that the pipeline, retries among it, knows.
private func throwingFetchErrors<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws -> Value
) async throws -> Value {
    do {
        return try await work()
    } catch let error as CancellationError {
        throw error
    } catch let error as HTTPClientError {
        throw fetchError(error)
    } catch {
        throw FetchError(.connectionFailed, isRetryable: true, detail: "\(error)")
    }
}

/// The error of ours that says the same.
private func fetchError(_ error: HTTPClientError) -> any Error {
    switch error {
    case .cancelled:
        CancellationError()
    case .deadlineExceeded, .connectTimeout, .readTimeout, .tlsHandshakeTimeout:
        FetchError(.timedOut, isRetryable: true, detail: error.description)
    case .remoteConnectionClosed:
        FetchError(.connectionLost, isRetryable: true, detail: error.description)
    case .invalidURL, .emptyHost, .emptyScheme:
        FetchError(.invalidURL, detail: error.description)
    case .redirectLimitReached, .redirectCycleDetected:
        FetchError(.redirectRefused, detail: error.description)
    case .alreadyShutdown:
        FetchError(.closed, detail: error.description)
    default:
        FetchError(.connectionFailed, isRetryable: true, detail: error.description)
    }
}
