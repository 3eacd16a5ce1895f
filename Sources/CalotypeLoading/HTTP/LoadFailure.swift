import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The error that a caller sees in place of one of the client's.
///
/// A cancelled task gets `CancellationError`, whatever the cancellation led to in the client.
func loadFailure(_ error: any Error, host: String) -> any Error {
    if error is CancellationError || Task.isCancelled { return CancellationError() }
    return switch error {
    case let error as FetchError: error
    case is StaleConnection, is UnansweredRequest: lost(host)
    case let error as HTTPClientError: clientFailure(error, host)
    case let error as NIOConnectionError: connectionFailure(error, host)
    case let error as ChannelError: channelFailure(error, host)
    case let error as IOError: systemFailure(error, host)
    case let error as HTTPParserError: parserFailure(error, host)
    case NIOSSLError.uncleanShutdown: lost(host)
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: insecure(error, host)
    default: FetchError(.connectionLost, isRetryable: true, detail: "\(host): \(type(of: error))")
    }
}

private func clientFailure(_ error: HTTPClientError, _ host: String) -> FetchError {
    switch error {
    case .readTimeout, .writeTimeout, .deadlineExceeded:
        FetchError(.timedOut, isRetryable: true, detail: "\(host) did not answer in time")
    case .connectTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout,
        .getConnectionFromPoolTimeout:
        FetchError(.timedOut, isRetryable: true, detail: "no connection to \(host) in time")
    case .remoteConnectionClosed:
        lost(host)
    case .alreadyShutdown, .cancelled:
        FetchError(.closed, detail: "the loader has been shut down")
    case .invalidURL, .emptyHost, .emptyScheme:
        FetchError(.invalidURL, detail: "the URL cannot be sent: \(error.shortDescription)")
    case .proxyAuthenticationRequired:
        FetchError(.connectionFailed, detail: "\(host): the proxy asks for another user or password")
    case .invalidProxyResponse:
        FetchError(.connectionFailed, isRetryable: true, detail: "\(host): the proxy opens no tunnel")
    default:
        // Header fields that may not be sent come here; the error's own text would show their values.
        FetchError(.invalidRequest, detail: "the request cannot be sent: \(error.shortDescription)")
    }
}

private func connectionFailure(_ error: NIOConnectionError, _ host: String) -> FetchError {
    guard let failure = error.connectionErrors.first else {
        return FetchError(.hostNotFound, isRetryable: true, detail: "“\(host)” has no address")
    }
    if case ChannelError.connectTimeout = failure.error {
        return FetchError(.timedOut, isRetryable: true, detail: "no connection to \(host) in time")
    }
    let reason = (failure.error as? IOError).map { systemErrorText($0.errnoCode) } ?? "no connection"
    return FetchError(.connectionFailed, isRetryable: true, detail: "\(host): \(reason)")
}

private func channelFailure(_ error: ChannelError, _ host: String) -> FetchError {
    if case .connectTimeout = error {
        return FetchError(.timedOut, isRetryable: true, detail: "no connection to \(host) in time")
    }
    return lost(host)
}

private func systemFailure(_ error: IOError, _ host: String) -> FetchError {
    let code: FetchError.Code =
        switch error.errnoCode {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, EMFILE, ENFILE: .connectionFailed
        case ETIMEDOUT: .timedOut
        default: .connectionLost
        }
    return FetchError(code, isRetryable: true, detail: "\(host): \(systemErrorText(error.errnoCode))")
}

private func parserFailure(_ error: HTTPParserError, _ host: String) -> FetchError {
    switch error {
    case .invalidEOFState, .closedConnection: lost(host)
    case .headerOverflow: FetchError(.invalidResponse, detail: "\(host) sends a header that is too large")
    default: FetchError(.invalidResponse, detail: "\(host) does not answer in HTTP: \(error)")
    }
}

private func lost(_ host: String) -> FetchError {
    FetchError(
        .connectionLost,
        isRetryable: true,
        detail: "\(host) closed the connection before the end of its answer"
    )
}

private func insecure(_ error: any Error, _ host: String) -> FetchError {
    let text = String(describing: error)
    let reason =
        if text.contains("failedToValidateHostname") {
            "its certificate is for another name"
        } else if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("Certificate") {
            "its certificate does not hold: it has expired, or no authority that is trusted here has "
                + "signed it (see additionalTrustRoots), or this machine's date is wrong"
        } else if text.contains("WRONG_VERSION_NUMBER") {
            "it does not speak TLS on this port"
        } else {
            String(text.prefix(200))
        }
    return FetchError(.insecureConnection, detail: "\(host): \(reason)")
}
