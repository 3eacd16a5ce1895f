public import Tracing

/// Hands the trace that a request names on to the requests that are made for it (W3C Trace Context), for a
/// process that has no tracer.
///
/// It adds no span: as §3.4 of the recommendation has it, what takes no part in a trace passes its fields on
/// as they came.
public struct TraceContext: Instrument {
    private static let parent = "traceparent"
    private static let state = "tracestate"
    /// Longer states may be left out (§3.3.1.5).
    private static let stateByteCountMax = 512

    private enum FieldsKey: ServiceContextKey {
        typealias Value = Fields
    }

    private struct Fields: Sendable {
        let parent: String
        let state: String?
    }

    /// Creates the instrument.
    public init() {}

    /// Makes it the instrument of the process; to be called once, before anything is served.
    public static func install() { InstrumentationSystem.bootstrap(TraceContext()) }

    /// Takes over `traceparent` where it is one, and the `tracestate` with it.
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

    /// Writes what was taken over.
    public func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let fields = context[FieldsKey.self] else { return }
        injector.inject(fields.parent, forKey: Self.parent, into: &carrier)
        if let state = fields.state { injector.inject(state, forKey: Self.state, into: &carrier) }
    }

    /// Whether a text is a version, a trace, a span and flags in hexadecimal digits (§3.2); of later versions
    /// more may stand behind them, and is not passed on here.
    private static func isParent(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 32, 16, 2], parts[0] != "ff" else { return false }
        let areDigits = parts.allSatisfy { $0.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) } }
        return areDigits && parts[1...2].allSatisfy { $0.contains { $0 != "0" } }
    }

    /// The text where it may stand in a field and is no longer than states are.
    private static func checked(_ state: String) -> String? {
        let isGood = !state.isEmpty && state.utf8.count <= stateByteCountMax
        return isGood && state.utf8.allSatisfy { (32...126).contains($0) } ? state : nil
    }
}
