import CalotypeSupport

#if HTTP
import CLibCurl
import CTransfer
#endif

/// The measurements by libcurl for one transfer, starting when it was handed over.
package struct TransferTimings: Hashable, Sendable {
    /// The time until the connection was ready; for a reused one, the time of the name lookup.
    package var connected: Duration
    /// The time from the name lookup to the connection, without TLS; `nil` for a reused connection.
    package var connect: Duration?
    /// The time of the TLS handshake; `nil` without one.
    package var tlsHandshake: Duration?
    /// The time from the request to the first byte of the response; `nil` if there was none.
    package var wait: Duration?
    package var total: Duration
    /// The version by its ALPN name: `http/1.1`, `h2`.
    package var version: String?
    /// The remote address of the connection.
    package var address: String?
    /// The bytes of the request, and those of the body as received, compressed or not.
    package var sentByteCount: Int
    package var receivedByteCount: Int
}

#if HTTP
extension TransferTimings {
    init(_ handle: UnsafeMutablePointer<calotype_transfer>) {
        func time(_ info: CURLINFO) -> Duration {
            .microseconds(max(0, unsafe calotype_transfer_measure(handle, info)))
        }
        let isNew = unsafe calotype_transfer_number(handle, CURLINFO_NUM_CONNECTS) > 0
        let (named, connected) = (time(CURLINFO_NAMELOOKUP_TIME_T), time(CURLINFO_CONNECT_TIME_T))
        let (secured, ready) = (time(CURLINFO_APPCONNECT_TIME_T), time(CURLINFO_PRETRANSFER_TIME_T))
        let first = time(CURLINFO_STARTTRANSFER_TIME_T)
        self.connected = ready
        connect = isNew && connected > .zero ? max(.zero, connected - named) : nil
        tlsHandshake = isNew && secured > .zero ? max(.zero, secured - connected) : nil
        wait = first > .zero ? max(.zero, first - ready) : nil
        total = time(CURLINFO_TOTAL_TIME_T)
        version = Self.versionName(unsafe calotype_transfer_number(handle, CURLINFO_HTTP_VERSION))
        address = unsafe withUnsafeBytes(of: &handle.pointee.address) { bytes in
            let text = unsafe bytes.prefix { $0 != 0 }
            return unsafe text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
        }
        let fieldBytes = unsafe calotype_transfer_number(handle, CURLINFO_REQUEST_SIZE)
        let bodyBytes = unsafe calotype_transfer_measure(handle, CURLINFO_SIZE_UPLOAD_T)
        sentByteCount = max(0, fieldBytes) + Int(max(0, bodyBytes))
        receivedByteCount = Int(max(0, unsafe calotype_transfer_measure(handle, CURLINFO_SIZE_DOWNLOAD_T)))
    }

    private static func versionName(_ version: Int) -> String? {
        switch version {
        case Int(CURL_HTTP_VERSION_1_0): "http/1.0"
        case Int(CURL_HTTP_VERSION_1_1): "http/1.1"
        case Int(CURL_HTTP_VERSION_2_0): "h2"
        case Int(CURL_HTTP_VERSION_3): "h3"
        default: nil
        }
    }
}
#endif
