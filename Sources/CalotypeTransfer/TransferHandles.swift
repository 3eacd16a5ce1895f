#if HTTP
import CLibCurl
import CTransfer
import CalotypeSupport

/// A pool of the libcurl handles created by a client's thread, and the shared data that they point to.
@safe
final class TransferHandles {
    private let permitsAddress: TransferSettings.Permits?
    private let closes: (Int32) -> Void
    private var spare: [UnsafeMutablePointer<calotype_transfer>] = unsafe []
    private let client: UnsafeMutablePointer<calotype_transfer_client>
    private let path: UnsafeMutablePointer<CChar>?
    private let roots: UnsafeMutableBufferPointer<CChar>

    /// Prepares the shared data.
    ///
    /// - Parameters:
    ///   - settings: The client's settings.
    ///   - closes: Called with each socket before libcurl closes it.
    init(_ settings: TransferSettings, closes: @escaping (Int32) -> Void) {
        permitsAddress = settings.permits
        self.closes = closes
        unsafe path = unsafe settings.unixSocketPath.flatMap { unsafe strdup($0) }
        unsafe roots = .allocate(capacity: settings.trustRoots.count)
        _ = unsafe roots.initialize(from: settings.trustRoots.map { CChar(bitPattern: $0) })
        unsafe client = .allocate(capacity: 1)
        unsafe client.initialize(to: calotype_transfer_client())
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe client.pointee.unix_socket_path = unsafe UnsafePointer(path)
        unsafe client.pointee.trust_roots = unsafe roots.isEmpty ? nil : UnsafePointer(roots.baseAddress)
        unsafe client.pointee.trust_roots_byte_count = unsafe roots.count
        unsafe client.pointee.closes = { socket, context in
            unsafe context.map { unsafe TransferHandles.at($0).closes(socket) }
        }
        unsafe client.pointee.closes_context = context
        guard permitsAddress != nil else { return }
        unsafe client.pointee.permits = { address, context in
            guard let context = unsafe context else { return false }
            return unsafe TransferHandles.at(context).permits(address)
        }
        unsafe client.pointee.permits_context = context
    }

    // Runs after libcurl has released everything: its connections point to this data too.
    deinit {
        unsafe calotype_transfer_client_clear(client)
        unsafe client.deallocate()
        unsafe roots.deallocate()
        unsafe free(path)
    }

    /// Returns a handle; `nil` if memory is short, or libcurl rejects the trust roots.
    func take() -> UnsafeMutablePointer<calotype_transfer>? {
        if let handle = unsafe spare.popLast() { return unsafe handle }
        return unsafe calotype_transfer_create(client)
    }

    /// Returns an unused handle to the pool, unless it has the certificates of an origin.
    func give(_ handle: UnsafeMutablePointer<calotype_transfer>) {
        if unsafe handle.pointee.has_own_tls { return unsafe calotype_transfer_destroy(handle) }
        unsafe calotype_transfer_reset(handle)
        unsafe spare.append(handle)
    }

    func destroySpare() {
        while let handle = unsafe spare.popLast() { unsafe calotype_transfer_destroy(handle) }
    }

    private func permits(_ address: UnsafePointer<sockaddr>?) -> Bool {
        guard let address = unsafe address.flatMap({ unsafe IPAddress($0) }) else { return false }
        return permitsAddress?(address) ?? true
    }

    /// Returns the object passed to a callback as its context.
    private static func at(_ context: UnsafeMutableRawPointer) -> TransferHandles {
        unsafe Unmanaged<TransferHandles>.fromOpaque(context).takeUnretainedValue()
    }
}
#endif
