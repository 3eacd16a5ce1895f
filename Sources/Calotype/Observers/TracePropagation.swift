public import CalotypeLoading
public import Tracing

/// Sends the trace of whoever loads along with its requests, as `traceparent` (W3C Trace Context) where the
/// process's instrument speaks that.
///
/// Work that several calls share belongs to the trace of the call that began it. Origins learn the names of
/// traces, and nothing else of them.
public struct TracePropagation: LoaderMiddleware {
    private let instrument: (any Instrument)?

    /// Creates the middleware.
    ///
    /// - Parameter instrument: What writes the fields; that of the process unless given.
    public init(instrument: (any Instrument)? = nil) {
        self.instrument = instrument
    }

    /// Adds the fields of the calling task's context, where it has one.
    ///
    /// - Throws: What the loader throws.
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
