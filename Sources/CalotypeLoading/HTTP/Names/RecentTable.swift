/// A bounded table of names, which drops its older half as a whole.
///
/// It has at least the `generationCount` names set last, and at most twice as many. Adding a name takes
/// constant time.
struct RecentTable<Value: Sendable>: Sendable {
    private let generationCount: Int
    private var current: [String: Value] = [:]
    private var previous: [String: Value] = [:]

    var count: Int { current.count + previous.count }

    init(generationCount: Int) {
        self.generationCount = generationCount
    }

    subscript(name: String) -> Value? {
        get { current[name] ?? previous[name] }
        set {
            previous[name] = nil
            if newValue != nil, current[name] == nil, current.count >= generationCount {
                previous = current
                current = [:]
            }
            current[name] = newValue
        }
    }
}
