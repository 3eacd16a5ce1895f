/// The rules of the configuration for responses.
extension HTTPDataLoader {
    /// Throws if a redirect's target is not permitted.
    func check(redirectTo hop: HTTPHop, by head: HTTPResponseHeader, for request: FetchRequest)
        throws(FetchError)
    {
        let rules = [configuration.permitsRedirect, request.permitsRedirect]
        guard rules.contains(where: { $0?(hop.url) == false }) else { return }
        throw FetchError(
            .redirectRefused,
            status: head.status,
            detail: "the redirect target is not permitted: \(hop.url.redactedText)"
        )
    }

    /// Throws if the response is not acceptable for the request, as sent by the last hop.
    func check(_ head: HTTPResponseHeader, to hop: HTTPHop, for request: FetchRequest) throws(FetchError) {
        if head.status == 304, hop.fields.isRevalidation { return }
        guard (request.acceptedStatuses ?? configuration.acceptedStatuses).contains(head.status) else {
            throw FetchError(
                .unacceptableStatus,
                status: head.status,
                isRetryable: [408, 425, 429, 500, 502, 503, 504].contains(head.status),
                retryAfter: head.fields.retryAfter,
                detail: "the server answered \(head.status)"
            )
        }
        guard head.status != 206 || hop.fields.contains(where: { $0.isNamed("range") }) else {
            throw FetchError(
                .invalidResponse,
                status: 206,
                detail: "received a partial response to a request for the whole"
            )
        }
        guard !head.hasUnknownCoding else {
            throw FetchError(
                .invalidResponse,
                status: head.status,
                detail: "the body is encoded with an unsupported content coding"
            )
        }
        // Before the type is shortened: it may repeat a secret.
        let contentType = head.value(of: "Content-Type").map(hop.origins.redacted)
        try check(contentType: contentType, status: head.status)
    }

    private func check(contentType: String?, status: Int) throws(FetchError) {
        guard let acceptedContentTypes = configuration.acceptedContentTypes else { return }
        let type = contentType?.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased() ?? ""
        let isAccepted = acceptedContentTypes.contains { accepted in
            let accepted = accepted.lowercased()
            return accepted.hasSuffix("/*") ? type.hasPrefix(accepted.dropLast()) : type == accepted
        }
        guard isAccepted else {
            let shown = type.isEmpty ? "none" : String(type.prefix(64))
            throw FetchError(.unacceptableContentType, status: status, detail: "the content type is \(shown)")
        }
    }
}

extension HTTPDataLoader {
    /// Returns the error of a load without a turn until its deadline: a delay of its origin if that is busy.
    static func noTurn(_ hop: HTTPHop, isBusy: Bool) -> FetchError {
        let detail =
            isBusy
            ? "other loads of \(hop.address.host) have used all of its connections for too long"
            : "loads of other origins have used all connections for too long"
        return FetchError(isBusy ? .timedOut : .overloaded, isRetryable: true, detail: detail)
    }
}

extension [HeaderField] {
    /// Whether the fields make the request a revalidation.
    fileprivate var isRevalidation: Bool {
        contains { $0.isNamed("if-none-match") || $0.isNamed("if-modified-since") }
    }
}
