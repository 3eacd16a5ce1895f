import CalotypeSupport
package import CalotypeTransfer

/// A function that returns all addresses of a name.
package typealias NameResolver = @Sendable (String) async throws -> [IPAddress]

/// Resolves names by the system's resolver, on threads that may block.
///
/// Each lookup has its own thread, which ends with it: a lookup cannot be stopped, and reused threads would
/// remain after a brief failure of a name server.
enum SystemResolver {
    /// The most lookups running at once: an eighth of the descriptors that the process may open, since each
    /// lookup uses one; 32...512.
    static let concurrencyLimit = min(max(32, sysconf(CInt(_SC_OPEN_MAX)) / 8), 512)

    // Used if the system refuses a thread.
    private static let fallback = BlockingPool(width: 4, name: "names")

    /// Returns all addresses of a name, or the address that it contains; cannot be cancelled.
    ///
    /// - Throws: ``FetchError/Code/hostNotFound``.
    static func addresses(of host: String) async throws -> [IPAddress] {
        let result: Result<[IPAddress], FetchError> = await handedOver { handOver in
            let work: @Sendable () -> Void = {
                handOver(Result { () throws(FetchError) in try lookUp(host) })
            }
            if !SystemThread.start(name: "calotype-names", body: work) { fallback.enqueue { work() } }
        }
        return try result.get()
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
            throw FetchError(.hostNotFound, detail: "“\(host)” has an invalid address")
        }
        return address
    }
}
