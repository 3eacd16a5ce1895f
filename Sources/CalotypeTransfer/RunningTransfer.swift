#if HTTP
import CLibCurl
import CTransfer
import CalotypeSupport
import FoundationEssentials

/// A transfer run by libcurl, with its deadlines; confined to the client's thread.
@safe
final class RunningTransfer {
    let channel: TransferChannel
    /// The state written by libcurl's callbacks.
    let handle: UnsafeMutablePointer<calotype_transfer>
    /// The deadline.
    var end: ContinuousClock.Instant

    private var activity: UInt64 = 0
    private var activeAt: ContinuousClock.Instant
    private var hasHead = false
    private var wantsWhole = false

    // The most bytes received while none are read.
    private static let maxUnreadByteCount = 256 << 10

    init(
        _ channel: TransferChannel,
        _ handle: UnsafeMutablePointer<calotype_transfer>,
        at now: ContinuousClock.Instant
    ) {
        self.channel = channel
        unsafe self.handle = handle
        end = now + channel.request.totalTimeout
        activeAt = now
    }

    /// Hands the request over to libcurl; returns `false` if that fails.
    func start(on multi: UnsafeMutableRawPointer, isFresh: Bool = false) -> Bool {
        let request = channel.request
        unsafe calotype_transfer_reset(handle)
        unsafe handle.pointee.head_byte_count_max = request.maxHeadByteCount
        unsafe handle.pointee.body_byte_count_max = Int64(request.maxByteCount)
        unsafe handle.pointee.unread_byte_count_max = Self.maxUnreadByteCount
        let milliseconds = max(1, request.connectTimeout.milliseconds)
        var isSet = set(CURLOPT_URL, request.url)
        isSet = set(CURLOPT_ACCEPT_ENCODING, request.unpacks ? "identity" : nil) && isSet
        isSet = unsafe calotype_transfer_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds) && isSet
        // Requests with side effects must not be sent twice, which may happen on an idle connection that has
        // died.
        let isNew = isFresh || !request.isRepeatable ? 1 : 0
        isSet = unsafe calotype_transfer_set_number(handle, CURLOPT_FRESH_CONNECT, isNew) && isSet
        isSet = setProxy(request.proxy) && setMethod(request) && setTLS(request.tls) && isSet
        // libcurl requests the encodings that it can decode itself.
        var plain = request.unpacks ? [] : ["Accept-Encoding: identity"]
        if request.body != nil {
            // It also must not wait for permission to send a body, or guess its type.
            plain.append("Expect:")
            let hasType = request.fields.contains { $0.lowercased().hasPrefix("content-type") }
            if !hasType { plain.append("Content-Type:") }
        }
        for field in request.fields + plain {
            isSet = unsafe calotype_transfer_add_field(handle, field) && isSet
        }
        for cookie in request.cookies {
            let line = cookie.bytes.map(CChar.init(bitPattern:)) + [0]
            isSet = unsafe calotype_transfer_add_cookie(handle, line) && isSet
        }
        if let cookie = request.ownCookie {
            unsafe handle.pointee.has_cookies = true
            isSet = set(CURLOPT_COOKIE, cookie) && isSet
        }
        if let addresses = request.addresses {
            isSet = unsafe calotype_transfer_add_addresses(handle, addresses.entry) && isSet
        }
        return unsafe isSet && calotype_transfer_start(handle, multi)
    }

    /// Passes on received data; returns whether that made the transfer progress.
    func layDown(at now: ContinuousClock.Instant) -> Bool {
        let activity = unsafe handle.pointee.activity
        guard activity != self.activity else { return false }
        self.activity = activity
        activeAt = now
        var news = TransferChannel.News()
        takeHead(&news)
        guard hasHead else { return false }
        if !wantsWhole { takeBody(&news) }
        news.isPaused = unsafe handle.pointee.is_paused
        guard news.head != nil || news.bytes != nil || news.isPaused else { return false }
        return obey(channel.lay(news))
    }

    /// Passes on the last data, and the result.
    func layDown(end: Result<Void, TransferError>) {
        var news = TransferChannel.News(end: end, timings: unsafe TransferTimings(handle))
        takeHead(&news)
        takeBody(&news)
        _ = channel.lay(news)
    }

    /// Applies the reader's demand, after it has read or requested the whole body.
    func resume() {
        _ = obey(channel.demand)
    }

    /// Reads on and drops the data.
    func discard(maxByteCount: Int, until end: ContinuousClock.Instant) {
        unsafe handle.pointee.discards = true
        let byteCount = unsafe handle.pointee.unpacked_byte_count
        unsafe handle.pointee.body_byte_count_max = byteCount + Int64(maxByteCount)
        self.end = min(self.end, end)
        wantsWhole = true
        resume()
    }

    /// Whether there is a failure for which libcurl has not ended the transfer.
    var hasFailed: Bool { unsafe handle.pointee.failure != CALOTYPE_TRANSFER_SOUND }

    /// Returns the timeout that has expired, if any.
    func timeout(at now: ContinuousClock.Instant) -> TransferError.Kind? {
        if now >= end { return .totalTimedOut }
        return now >= idleEnd ? .idleTimedOut : nil
    }

    var nextTimeout: ContinuousClock.Instant { min(end, idleEnd) }

    /// Without a connection, libcurl's own timeout applies; while the reader pauses, silence does not count.
    private var idleEnd: ContinuousClock.Instant {
        let mayBeSilent = unsafe handle.pointee.is_connected && !handle.pointee.is_paused
        return mayBeSilent ? activeAt + channel.request.idleTimeout : end
    }

    private func takeHead(_ news: inout TransferChannel.News) {
        guard !hasHead, unsafe handle.pointee.is_head_whole, let head = unsafe handle.pointee.head else {
            return
        }
        hasHead = true
        news.head = unsafe Data(bytes: head, count: handle.pointee.head_byte_count)
        if unsafe handle.pointee.sets_cookies { news.cookies = cookies }
    }

    /// The cookies of the request and the response.
    private var cookies: [CookieLine] {
        guard let text = unsafe calotype_transfer_copy_cookies(handle) else { return [] }
        defer { unsafe free(text) }
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: unsafe strlen(text))
        let lines = unsafe Array(bytes).split(separator: UInt8(ascii: "\n"))
        return lines.map { CookieLine(Array($0)) }
    }

    private func takeBody(_ news: inout TransferChannel.News) {
        var count = 0
        guard let bytes = unsafe calotype_transfer_take_body(handle, &count) else { return }
        news.bytes = unsafe Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    private func obey(_ demand: TransferChannel.Demand) -> Bool {
        wantsWhole = wantsWhole || demand.wantsWhole
        if wantsWhole { unsafe handle.pointee.unread_byte_count_max = .max }
        unsafe handle.pointee.unread_byte_count = demand.unreadByteCount
        guard unsafe handle.pointee.is_paused else { return false }
        let unread = unsafe demand.unreadByteCount + handle.pointee.body_byte_count
        guard unsafe unread < handle.pointee.unread_byte_count_max else { return false }
        activeAt = .now
        unsafe calotype_transfer_resume(handle)
        return true
    }

    private func setProxy(_ proxy: TransferProxy?) -> Bool {
        // An empty text prevents libcurl from reading the environment.
        guard let proxy else { return set(CURLOPT_PROXY, "") }
        let isTunnel = proxy.tunnelsPlainHTTP ? 1 : 0
        return unsafe set(CURLOPT_PROXY, proxy.url) && set(CURLOPT_PROXYUSERPWD, proxy.credentials)
            && calotype_transfer_set_number(handle, CURLOPT_HTTPPROXYTUNNEL, isTunnel)
    }

    private func setMethod(_ request: TransferRequest) -> Bool {
        guard let body = request.body else {
            guard request.method != "GET" else { return true }
            return unsafe calotype_transfer_set_method(handle, request.method, nil, 0)
        }
        return unsafe body.withUnsafeBytes { bytes in
            // An empty buffer may have no address.
            let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
            return unsafe calotype_transfer_set_method(handle, request.method, start, bytes.count)
        }
    }

    private func setTLS(_ tls: TransferTLS?) -> Bool {
        guard let tls else { return true }
        return unsafe tls.trustRoots.withUnsafeBytes { roots in
            unsafe tls.certificate.withUnsafeBytes { certificate in
                unsafe tls.key.withUnsafeBytes { key in
                    unsafe calotype_transfer_set_tls(
                        handle,
                        roots.baseAddress?.assumingMemoryBound(to: CChar.self),
                        roots.count,
                        certificate.baseAddress?.assumingMemoryBound(to: CChar.self),
                        certificate.count,
                        key.baseAddress?.assumingMemoryBound(to: CChar.self),
                        key.count
                    )
                }
            }
        }
    }

    private func set(_ option: CURLoption, _ text: String?) -> Bool {
        guard let text else { return unsafe calotype_transfer_set_text(handle, option, nil) }
        return unsafe calotype_transfer_set_text(handle, option, text)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up; at most a month, to avoid overflow.
    var milliseconds: Int {
        let month = Duration.seconds(30 * 86_400)
        let (seconds, attoseconds) = min(max(self, .zero), month).components
        return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
#endif
