internal import CalotypeCore

extension LoadError {
    /// The error of a store that is too slow for the writes it is given.
    static let storeBusy = LoadError(stage: .store, underlying: StoreBusyError())
}

/// The error of a write above the limit for pending writes.
struct StoreBusyError: CodedError, CustomStringConvertible {
    var codeLabel: String { "storeBusy" }

    var fault: Fault { .limit }

    var description: String {
        "storeBusy: earlier writes to the store are pending; this write was skipped, or not waited for"
    }
}
