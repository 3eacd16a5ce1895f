import CalotypeTransfer

extension FetchError {
    /// Creates the error that reports one of the transfer client.
    init(_ error: TransferError, host: String) {
        self = Self.answerFailure(error, host) ?? Self.connectionFailure(error, host)
    }

    /// Returns the error of a response that was received.
    private static func answerFailure(_ error: TransferError, _ host: String) -> FetchError? {
        switch error.kind {
        case .short, .lost:
            FetchError(
                .connectionLost,
                isRetryable: true,
                detail: "\(host) closed the connection before the end of its response"
            )
        case .excess:
            FetchError(.lengthMismatch, detail: "received bytes after the announced end of the body")
        case .invalidAnswer:
            FetchError(.invalidResponse, detail: "\(host) does not respond in HTTP: \(error.shownMessage)")
        case .headTooLarge:
            FetchError(.invalidResponse, detail: "the header from \(host) is too large")
        case .bodyTooLarge:
            FetchError(.bodyTooLarge, detail: "the body from \(host) is larger than allowed")
        case .bomb:
            FetchError(
                .bodyTooLarge,
                detail: "the body from \(host) unpacks to more than 250 times its size"
            )
        case .severalCodings:
            FetchError(
                .invalidResponse,
                detail: "the body from \(host) is encoded several times; only one coding is supported"
            )
        case .invalidCoding:
            FetchError(.invalidResponse, detail: "the encoded body from \(host) cannot be unpacked")
        default: nil
        }
    }

    /// Returns the error of a load without a response.
    private static func connectionFailure(_ error: TransferError, _ host: String) -> FetchError {
        switch error.kind {
        case .invalidURL: FetchError(.invalidURL, detail: "the URL cannot be sent: \(error.shownMessage)")
        case .hostNotFound:
            FetchError(.hostNotFound, isRetryable: true, detail: "“\(host)” has no address")
        case .addressRefused: .addressRefused(host)
        case .connectTimedOut:
            FetchError(.timedOut, isRetryable: true, detail: "connecting to \(host) timed out")
        case .idleTimedOut, .totalTimedOut:
            FetchError(.timedOut, isRetryable: true, detail: "\(host) did not respond in time")
        case .insecure: insecure(host, error.reason)
        case .otherName: insecure(host, "its certificate is for another name")
        case .untrusted:
            insecure(
                host,
                "its certificate is not valid: it has expired, or no authority that is trusted here has "
                    + "signed it (see additionalTrustRoots), or this machine's date is wrong"
            )
        case .proxyAuthentication:
            FetchError(.connectionFailed, detail: "\(host): the proxy rejects the user or the password")
        case .proxyFailed:
            FetchError(.connectionFailed, isRetryable: true, detail: "\(host): the proxy refuses a tunnel")
        case .outOfMemory:
            FetchError(.overloaded, isRetryable: true, detail: "out of memory for the response of \(host)")
        case .noThread:
            FetchError(.overloaded, isRetryable: true, detail: "the loader could not start a thread")
        case .closed: FetchError(.closed, detail: "the loader has been shut down")
        default: FetchError(.connectionFailed, isRetryable: true, detail: "\(host): \(error.shownMessage)")
        }
    }

    static func addressRefused(_ host: String) -> FetchError {
        FetchError(
            .addressRefused,
            detail: "“\(host)” does not resolve to public addresses only, and others are not permitted"
        )
    }

    private static func insecure(_ host: String, _ reason: String) -> FetchError {
        FetchError(.insecureConnection, detail: "\(host): \(reason)")
    }
}

extension TransferError {
    /// The message of libcurl, which may contain a line of the response: truncated to one line.
    fileprivate var shownMessage: String {
        String(message.prefix { !$0.isNewline }.prefix(200))
    }

    fileprivate var reason: String {
        let isPlain = message.contains("wrong version number") || message.contains("packet length too long")
        return isPlain ? "it does not speak TLS on this port" : shownMessage
    }
}
