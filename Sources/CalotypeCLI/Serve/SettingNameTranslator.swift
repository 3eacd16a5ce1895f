import CalotypeServer

/// Replaces names of the library in logged and displayed errors by the settings of the service.
struct SettingNameTranslator: ServiceObserver {
    private let next: any ServiceObserver

    init(then next: any ServiceObserver) {
        self.next = next
    }

    func didRespond(_ record: ServiceRecord) {
        guard let detail = record.errorDetail else { return next.didRespond(record) }
        var record = record
        record.errorDetail = Self.text(detail)
        next.didRespond(record)
    }

    /// Names of the library in its errors, the longest first, with the settings.
    static let settings: [(symbol: String, setting: ServeSetting)] = [
        ("CodecWorkers.Configuration.maxTotalMemoryByteCount", .workersMemory),
        ("CodecWorkers.Configuration.maxMemoryByteCount", .workerMemory),
        ("CodecWorkers.Configuration.maxTransformDuration", .workTime),
        ("CodecWorkers.Configuration.maxEncodeDuration", .workTime),
        ("DecodeLimits.maxDuration", .workTime), ("DecodeLimits.maxByteCount", .sourceBytes),
        ("DecodeLimits.maxPixelCount", .sourcePixels), ("DecodeLimits.maxFrameCount", .sourceFrames),
        ("ImageRequest.timeout", .timeout), ("additionalTrustRoots", .sourceCAFile),
    ]

    /// Phrases of the library that no setting replaces.
    private static let others = [
        ("Configuration.storeTimeout sets the limit", "the disk is too slow, or hangs"),
        ("how long a call waits", "how long a client waits"),
    ]

    /// Phrases in the errors of `DecodeLimits`, with the settings; no setting changes decoders' other limits.
    private static let limits: [(phrase: String, setting: ServeSetting)] = [
        (" bytes of input, the limit is ", .sourceBytes),
        (" pixels in a frame, the limit is ", .sourcePixels), (" frames, the limit is ", .sourceFrames),
    ]

    /// Returns a text without names of the library.
    static func text(_ detail: String) -> String {
        let isSuspect = detail.contains(".") || detail.contains("call") || detail.contains("TrustRoots")
        guard isSuspect else { return detail }
        let named = settings.reduce(detail) { $0.replacing($1.symbol, with: $1.setting.name) }
        return others.reduce(named) { $0.replacing($1.0, with: $1.1) }
    }

    /// Returns the setting that caused an error, or `nil` if there is none.
    static func setting(for record: ServiceRecord) -> ServeSetting? {
        let detail = record.errorDetail ?? ""
        switch record.errorCode {
        case "timedOut":
            return record.status == 504 ? .sourceTimeout : record.status == 422 ? .workTime : .timeout
        case "overloaded": return record.errorStep == "fetch" ? .sourceConnections : .queue
        case "bodyTooLarge": return .sourceBytes
        case "limitExceeded": return limits.first { detail.contains($0.phrase) }?.setting
        case "memoryExceeded": return .workerMemory
        case "workerUnavailable":
            return detail.contains(ServeSetting.workersMemory.name) ? .workersMemory : nil
        case "refused": return .workTime
        case "addressRefused": return .allowPrivateSources
        case "insecureConnection":
            return detail.contains(ServeSetting.sourceCAFile.name) ? .sourceCAFile : nil
        case "sourceNotAllowed": return .allowedSources
        case "redirectRefused": return detail.contains("redirects") ? .sourceRedirects : .allowedSources
        case "forbiddenOption": return .allowedOptions
        case "invalidSignature":
            return record.target?.hasPrefix("/thumbor/") == true ? .thumborKey : .key
        default: return nil
        }
    }
}
