internal import CalotypeCache
internal import CalotypeCodecs
internal import CalotypeCore
internal import CalotypeLoading
internal import FoundationEssentials

/// A cache of permanent failures of sources and variants, limited in time, number and bytes; pure.
struct NegativeCache: Sendable {
    private struct Failure: Sendable {
        let error: LoadError
        let endsAt: ContinuousClock.Instant
        let number: Int
        let byteCount: Int
    }

    let duration: Duration
    let maxCount: Int
    let maxByteCount: Int

    private var failures: [ImageKey: Failure] = [:]
    /// Sources in the order of their failures; a source that failed again is listed twice.
    private var order: [(source: ImageKey, number: Int)] = []
    private var head = 0
    private var lastNumber = 0

    private(set) var byteCount = 0

    init(duration: Duration, maxCount: Int, maxByteCount: Int = 16 << 20) {
        self.duration = duration
        self.maxCount = max(0, maxCount)
        self.maxByteCount = maxByteCount
    }

    var isEmpty: Bool { failures.isEmpty }

    var count: Int { failures.count }

    var keys: [ImageKey] { Array(failures.keys) }

    /// Returns the failure of a source, if it is recent.
    func failure(of source: String, at now: ContinuousClock.Instant) -> LoadError? {
        failure(of: ImageKey(source), at: now)
    }

    /// Returns the failure of a variant by its key, if it is recent.
    func failure(of key: ImageKey, at now: ContinuousClock.Instant) -> LoadError? {
        guard let failure = failures[key], now < failure.endsAt else { return nil }
        return failure.error
    }

    /// Remembers a failure, and forgets the oldest ones above the limits.
    mutating func note(_ error: LoadError, of source: String, at now: ContinuousClock.Instant) {
        note(error, of: ImageKey(source), at: now)
    }

    /// Remembers the failure of a variant by its key.
    mutating func note(_ error: LoadError, of key: ImageKey, at now: ContinuousClock.Instant) {
        guard duration > .zero, maxCount > 0 else { return }
        lastNumber += 1
        remove(key)
        let byteCount = key.entryByteCount + error.byteCount
        failures[key] = Failure(
            error: error,
            endsAt: now + duration,
            number: lastNumber,
            byteCount: byteCount
        )
        self.byteCount += byteCount
        order.append((key, lastNumber))
        while head < order.count, isOver || !isCurrent(order[head], at: now) {
            forgetOldest()
        }
        // Failures that have left would otherwise stay listed behind one that has not.
        if order.count > 2 * failures.count + 64 {
            order.removeAll { failures[$0.source]?.number != $0.number }
            head = 0
        }
    }

    /// Forgets a source that has succeeded.
    mutating func remove(_ source: String) { remove(ImageKey(source)) }

    mutating func remove(_ key: ImageKey) {
        byteCount -= failures.removeValue(forKey: key)?.byteCount ?? 0
    }

    mutating func removeAll() {
        self = NegativeCache(duration: duration, maxCount: maxCount, maxByteCount: maxByteCount)
    }

    private var isOver: Bool { failures.count > maxCount || byteCount > maxByteCount }

    private func isCurrent(_ place: (source: ImageKey, number: Int), at now: ContinuousClock.Instant) -> Bool
    {
        guard let failure = failures[place.source], failure.number == place.number else { return false }
        return now < failure.endsAt
    }

    private mutating func forgetOldest() {
        let (source, number) = order[head]
        head += 1
        if failures[source]?.number == number { remove(source) }
    }
}

extension LoadError {
    /// The approximate memory of the error in bytes.
    fileprivate var byteCount: Int {
        let detail = (underlying as? any CodedError)?.detail.utf8.count ?? 256
        let answering = (underlying as? FetchError)?.answeringURL?.absoluteString.utf8.count ?? 0
        let others = alternativeFailures.reduce(0) { $0 + $1.byteCount }
        return 512 + (address?.utf8.count ?? 0) + answering + detail + others
    }
}

extension FetchError {
    /// True if another try within a minute would fail the same way, according to the origin.
    var isPermanent: Bool {
        status == 404 || status == 410 || code == .unacceptableContentType
    }
}
