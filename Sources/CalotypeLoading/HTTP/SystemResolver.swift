import CalotypeSupport
import CalotypeTransfer

/// Finds the addresses of names by the system's means, on threads that may block.
final class SystemResolver: Sendable {
    /// Shared by all loaders: the lookups of a process go to the same servers.
    static let shared = SystemResolver()

    private let pool = BlockingPool(width: 32, name: "names")

    /// All addresses of a name, or the one that it spells.
    ///
    /// A caller that is cancelled leaves at once; a lookup under way ends by itself, one that waits is not
    /// begun.
    ///
    /// - Throws: ``FetchError/Code/hostNotFound`` or `CancellationError`.
    func addresses(of host: String) async throws -> [IPAddress] {
        let lookup = Lookup()
        return try await withTaskCancellationHandler {
            try await handedOver { handOver in
                guard lookup.begin(handOver) else { return }
                pool.enqueue {
                    guard lookup.isWanted else { return }
                    lookup.end(Result { try Self.lookUp(host) })
                }
            }.get()
        } onCancel: {
            lookup.end(.failure(CancellationError()))
        }
    }

    private static func lookUp(_ host: String) throws(FetchError) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &first)
        defer { freeaddrinfo(first) }
        guard status == 0 else {
            let reason = String(cString: gai_strerror(status))
            throw FetchError(.hostNotFound, isRetryable: true, detail: "“\(host)” has no address: \(reason)")
        }
        return try Array(sequence(first: first) { $0?.pointee.ai_next }.prefix { $0 != nil }).map {
            (entry) throws(FetchError) in try address(entry?.pointee, of: host)
        }
    }

    private static func address(_ entry: addrinfo?, of host: String) throws(FetchError) -> IPAddress {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            let entry,
            getnameinfo(
                entry.ai_addr,
                entry.ai_addrlen,
                &text,
                socklen_t(text.count),
                nil,
                0,
                NI_NUMERICHOST
            ) == 0,
            let address = IPAddress(
                literal: String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            )
        else {
            throw FetchError(.hostNotFound, detail: "“\(host)” has an address that cannot be read")
        }
        return address
    }
}

/// One lookup, which ends once: with what is found or with its cancellation.
private final class Lookup: Sendable {
    typealias Waiter = @Sendable (Result<[IPAddress], any Error>) -> Void

    private enum State: Sendable {
        case new
        case waiting(Waiter)
        case ended
    }

    private let state = Guarded(State.new)

    var isWanted: Bool {
        state.withLock { if case .waiting = $0 { true } else { false } }
    }

    /// Keeps the one who waits, or fails it where it has been cancelled already.
    func begin(_ waiter: @escaping Waiter) -> Bool {
        let isFirst = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(waiter)
            return true
        }
        if !isFirst { waiter(.failure(CancellationError())) }
        return isFirst
    }

    func end(_ result: Result<[IPAddress], any Error>) {
        let waiter = state.withLock { state -> Waiter? in
            defer { state = .ended }
            if case .waiting(let waiter) = state { return waiter }
            return nil
        }
        waiter?(result)
    }
}
