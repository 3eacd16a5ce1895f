internal import CalotypeCore

extension LoadError {
    /// The error of a store that is too slow for the writes it is given.
    static let storeBusy = LoadError(stage: .store, underlying: StoreBusyError())
}

/// The error of a write above the limit for pending writes.
struct StoreBusyError: CodedError {
    let code = StoreCode.storeBusy
    let isRetryable = true
    let detail = "earlier writes to the store are pending; this write was skipped, or not waited for"
}

/// The codes of a store that does not keep up.
enum StoreCode: String, ErrorCode {
    case storeBusy, storeSlow

    var label: String { rawValue }
    var fault: Fault { self == .storeBusy ? .limit : .environment }
}
