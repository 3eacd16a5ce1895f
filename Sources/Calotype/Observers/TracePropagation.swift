public import CalotypeLoading
public import Tracing

/// Sends the trace of the caller with HTTP requests, as `traceparent` (W3C Trace Context) if the process's
/// instrument supports it.
///
/// Work shared by several calls belongs to the trace of the call that started it. Origins receive the
/// identifiers of traces, and nothing else.
public struct TracePropagation: LoaderMiddleware {
    private let instrument: (any Instrument)?

    /// Creates the middleware.
    ///
    /// - Parameter instrument: The instrument that writes the fields; the process's instrument unless given.
    public init(instrument: (any Instrument)? = nil) {
        self.instrument = instrument
    }

    /// Adds the fields of the calling task's context, if it has one.
    ///
    /// - Throws: The error of the loader.
    public func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse {
        guard let context = ServiceContext.current else { return try await next.response(for: request) }
        var traced = request
        let instrument = instrument ?? InstrumentationSystem.instrument
        instrument.inject(context, into: &traced, using: FieldInjector())
        return try await next.response(for: traced)
    }
}

private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into request: inout FetchRequest) {
        request.headers.removeAll { $0.name.lowercased() == key.lowercased() }
        request.headers.append(HeaderField(key, value))
    }
}
