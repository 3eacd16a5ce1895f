import CalotypeTransfer

extension FetchError {
    /// The error that a caller sees in place of one of the client's.
    init(_ error: TransferError, host: String) {
        self = Self.answerFailure(error, host) ?? Self.connectionFailure(error, host)
    }

    /// What is wrong with an answer that came.
    private static func answerFailure(_ error: TransferError, _ host: String) -> FetchError? {
        switch error.kind {
        case .short, .lost:
            FetchError(
                .connectionLost,
                isRetryable: true,
                detail: "\(host) closed the connection before the end of its answer"
            )
        case .excess:
            FetchError(.lengthMismatch, detail: "bytes follow after the announced end of the body")
        case .invalidAnswer:
            FetchError(.invalidResponse, detail: "\(host) does not answer in HTTP: \(error.shownMessage)")
        case .headTooLarge:
            FetchError(.invalidResponse, detail: "\(host) sends a header that is too large")
        case .bodyTooLarge:
            FetchError(.bodyTooLarge, detail: "\(host) sends a larger body than is allowed")
        case .bomb:
            FetchError(
                .bodyTooLarge,
                detail: "the body of \(host) unpacks to more than 250 times its size"
            )
        case .invalidCoding:
            FetchError(.invalidResponse, detail: "\(host) sends an encoded body that cannot be unpacked")
        default: nil
        }
    }

    /// Why there is no answer.
    private static func connectionFailure(_ error: TransferError, _ host: String) -> FetchError {
        switch error.kind {
        case .invalidURL: FetchError(.invalidURL, detail: "the URL cannot be sent: \(error.shownMessage)")
        case .hostNotFound:
            FetchError(.hostNotFound, isRetryable: true, detail: "“\(host)” has no address")
        case .addressRefused: .addressRefused(host)
        case .connectTimedOut:
            FetchError(.timedOut, isRetryable: true, detail: "no connection to \(host) in time")
        case .idleTimedOut, .totalTimedOut:
            FetchError(.timedOut, isRetryable: true, detail: "\(host) did not answer in time")
        case .insecure: insecure(host, error.reason)
        case .otherName: insecure(host, "its certificate is for another name")
        case .untrusted:
            insecure(
                host,
                "its certificate does not hold: it has expired, or no authority that is trusted here has "
                    + "signed it (see additionalTrustRoots), or this machine's date is wrong"
            )
        case .proxyAuthentication:
            FetchError(.connectionFailed, detail: "\(host): the proxy asks for another user or password")
        case .proxyFailed:
            FetchError(.connectionFailed, isRetryable: true, detail: "\(host): the proxy opens no tunnel")
        case .outOfMemory:
            FetchError(.overloaded, isRetryable: true, detail: "no memory is left for the answer of \(host)")
        case .noThread:
            FetchError(.overloaded, isRetryable: true, detail: "the system gives the loader no thread")
        case .closed: FetchError(.closed, detail: "the loader has been shut down")
        default: FetchError(.connectionFailed, isRetryable: true, detail: "\(host): \(error.shownMessage)")
        }
    }

    /// An address that the policy does not permit.
    static func addressRefused(_ host: String) -> FetchError {
        FetchError(
            .addressRefused,
            detail: "“\(host)” is no public address or has none, and only those are permitted"
        )
    }

    private static func insecure(_ host: String, _ reason: String) -> FetchError {
        FetchError(.insecureConnection, detail: "\(host): \(reason)")
    }
}

extension TransferError {
    /// libcurl's own words, which may hold a line of the answer: no more than a line of them.
    fileprivate var shownMessage: String {
        String(message.prefix { !$0.isNewline }.prefix(200))
    }

    fileprivate var reason: String {
        let isPlain = message.contains("wrong version number") || message.contains("packet length too long")
        return isPlain ? "it does not speak TLS on this port" : shownMessage
    }
}
