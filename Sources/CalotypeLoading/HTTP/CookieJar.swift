import CalotypeSupport
import CalotypeTransfer

/// The cookies of a loader, by domain, path and name.
final class CookieJar: Sendable {
    // Browsers store 3,000 in all (RFC 6265 §6.1).
    private static let maxCount = 1_000

    private struct State: Sendable {
        var lines: [[ArraySlice<UInt8>]: (line: CookieLine, use: Int)] = [:]
        var useCount = 0
    }

    private let state = Guarded(State())

    /// Returns the cookies whose domain is the host or a parent domain of it.
    func lines(for host: String) -> [CookieLine] {
        state.withLock { state in
            state.lines.values.map(\.line).filter { Self.isOf(host, $0) }
        }
    }

    /// Applies the changes that a response has made to the cookies sent with its request; concurrent changes
    /// by others are preserved.
    func change(_ sent: [CookieLine], to received: [CookieLine]) {
        let (before, after) = (Set(sent), Set(received))
        state.withLock { state in
            for line in before.subtracting(after) where state.lines[Self.key(line)]?.line == line {
                state.lines[Self.key(line)] = nil
            }
            for line in received where !before.contains(line) {
                state.useCount += 1
                state.lines[Self.key(line)] = (line, state.useCount)
            }
            guard state.lines.count > Self.maxCount else { return }
            let oldest = state.lines.sorted { $0.value.use < $1.value.use }
            for (key, _) in oldest.prefix(state.lines.count - Self.maxCount) { state.lines[key] = nil }
        }
    }

    // Domain, path and name.
    private static func key(_ line: CookieLine) -> [ArraySlice<UInt8>] {
        let fields = line.fields
        return fields.count == 7 ? [fields[0], fields[2], fields[5]] : [line.bytes[...]]
    }

    private static func isOf(_ host: String, _ line: CookieLine) -> Bool {
        let mark = "#HttpOnly_".utf8
        let name = line.fields.first ?? []
        let domain = (name.starts(with: mark) ? name.dropFirst(mark.count) : name).drop {
            $0 == UInt8(ascii: ".")
        }
        let rest = host.utf8.dropLast(domain.count)
        return host.utf8.suffix(domain.count).elementsEqual(domain)
            && (rest.isEmpty || rest.last == UInt8(ascii: "."))
    }
}
