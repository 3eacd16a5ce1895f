public import Tracing

/// Propagates the trace of a request to the requests made for it (W3C Trace Context), in a process without a
/// tracer.
///
/// It adds no span: according to §3.4, a participant that does not trace forwards the fields unchanged.
public struct TraceContext: Instrument {
    private static let parent = "traceparent"
    private static let state = "tracestate"
    /// Longer states may be dropped (§3.3.1.5).
    private static let maxStateByteCount = 512

    private enum FieldsKey: ServiceContextKey {
        typealias Value = Fields
    }

    private struct Fields: Sendable {
        let parent: String
        let state: String?
    }

    /// Creates the instrument.
    public init() {}

    /// Installs it as the instrument of the process; call this once, before serving requests.
    public static func install() { InstrumentationSystem.bootstrap(TraceContext()) }

    /// Reads a valid `traceparent`, with its `tracestate`.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let parent = extractor.extract(key: Self.parent, from: carrier), Self.isParent(parent) else {
            return
        }
        let state = extractor.extract(key: Self.state, from: carrier)
        context[FieldsKey.self] = Fields(parent: parent, state: state.flatMap(Self.checked))
    }

    /// Writes the fields that were read.
    public func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let fields = context[FieldsKey.self] else { return }
        injector.inject(fields.parent, forKey: Self.parent, into: &carrier)
        if let state = fields.state { injector.inject(state, forKey: Self.state, into: &carrier) }
    }

    /// Whether a text is a version, trace, span and flags in hexadecimal (§3.2); later versions may append
    /// more, which is not forwarded here.
    private static func isParent(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 32, 16, 2], parts[0] != "ff" else { return false }
        let areDigits = parts.allSatisfy { $0.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) } }
        return areDigits && parts[1...2].allSatisfy { $0.contains { $0 != "0" } }
    }

    /// Returns the text if it is valid in a field and within the length limit.
    private static func checked(_ state: String) -> String? {
        let isGood = !state.isEmpty && state.utf8.count <= maxStateByteCount
        return isGood && state.utf8.allSatisfy { (32...126).contains($0) } ? state : nil
    }
}
