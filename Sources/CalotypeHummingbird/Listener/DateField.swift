import CalotypeCore
import CalotypeLoading
import CalotypeSupport

/// The value of the `Date` field, formatted once a second.
final class DateField: Sendable {
    private let timeSource: any TimeSource
    private let last = Guarded<(second: Int64, text: String)>((-1, ""))

    init(_ timeSource: any TimeSource) {
        self.timeSource = timeSource
    }

    var value: String {
        let now = timeSource.now()
        let second = now.nanosecondsSince1970 / 1_000_000_000
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate(now).text) }
            return last.text
        }
    }
}
