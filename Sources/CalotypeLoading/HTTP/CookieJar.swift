import CalotypeSupport

/// The cookies of a loader, by domain, path and name; each a line in Netscape's format, as libcurl reads and writes
/// them.
final class CookieJar: Sendable {
    /// Browsers keep 3,000 in all (RFC 6265 §6.1).
    private static let countMax = 1_000

    private struct State: Sendable {
        var lines: [Substring: (line: String, use: Int)] = [:]
        var useCount = 0
    }

    private let state = Guarded(State())

    /// The cookies whose domain is that of a host or above it.
    func lines(for host: String) -> [String] {
        state.withLock { state in
            state.lines.values.filter { Self.isOf(host, $0.line) }.map(\.line)
        }
    }

    /// Notes how an answer has changed the cookies that were sent with its request.
    func change(_ sent: [String], to received: [String]) {
        state.withLock { state in
            for line in sent { state.lines[Self.key(line)] = nil }
            for line in received {
                state.useCount += 1
                state.lines[Self.key(line)] = (line, state.useCount)
            }
            guard state.lines.count > Self.countMax else { return }
            let oldest = state.lines.sorted { $0.value.use < $1.value.use }
            for (key, _) in oldest.prefix(state.lines.count - Self.countMax) { state.lines[key] = nil }
        }
    }

    /// Domain, path and name: the fields 0, 2 and 5 of seven.
    private static func key(_ line: String) -> Substring {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 7 else { return line[...] }
        return "\(fields[0])\t\(fields[2])\t\(fields[5])"
    }

    private static func isOf(_ host: String, _ line: String) -> Bool {
        let name = line.hasPrefix("#HttpOnly_") ? line.dropFirst("#HttpOnly_".count) : line[...]
        let domain = name.prefix { $0 != "\t" }.drop { $0 == "." }
        return host == domain || host.hasSuffix(".\(domain)")
    }
}
