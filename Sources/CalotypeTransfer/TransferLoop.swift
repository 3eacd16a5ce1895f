#if HTTP
import CLibCurl
import CTransfer
import CalotypeSupport

/// The loop of the client's thread: runs commands and libcurl, passes on received data, sleeps.
///
/// All of its state is confined to that thread.
@safe
final class TransferLoop {
    private let settings: TransferSettings
    private let mailbox: TransferMailbox
    private let clock = ContinuousClock()
    private var running: [ObjectIdentifier: RunningTransfer] = [:]
    private var idle = IdleSockets()
    private var isClosing = false
    private var multi: UnsafeMutableRawPointer?
    private lazy var handles = TransferHandles(settings) { [unowned self] socket in idle.remove(socket) }

    init(_ settings: TransferSettings, _ mailbox: TransferMailbox) {
        self.settings = settings
        self.mailbox = mailbox
        unsafe multi = Self.isReady ? calotype_multi_create(settings.maxConnectionCount) : nil
    }

    // Initialises libcurl, once per process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Runs until there has been no work for a while.
    func run() {
        var restingSince = clock.now
        while true {
            for command in mailbox.take() { obey(command) }
            work()
            let now = clock.now
            if !running.isEmpty { restingSince = now }
            idle.close(keptSince: now - settings.keepTimeout)
            let isDone = unsafe multi == nil || isClosing || now - restingSince >= settings.keepTimeout
            let mayEnd = running.isEmpty && isDone
            if mayEnd, mailbox.endThread() { break }
            sleep(until: wakeTime(restingSince))
        }
        handles.destroySpare()
        if let multi = unsafe multi { unsafe curl_multi_cleanup(multi) }
    }

    private func obey(_ command: TransferCommand) {
        switch command {
        case .start(let channel): start(channel)
        case .cancel(let channel): running[ObjectIdentifier(channel)].map { end($0, .closed) }
        case .resume(let channel): running[ObjectIdentifier(channel)]?.resume()
        case .discard(let channel, let maxByteCount, let limit):
            running[ObjectIdentifier(channel)]?.discard(
                maxByteCount: maxByteCount,
                until: clock.now + limit
            )
        case .close(let cutsOff):
            isClosing = true
            if cutsOff { for transfer in running.values { end(transfer, .closed) } }
        }
    }

    private func start(_ channel: TransferChannel) {
        guard let multi = unsafe multi, let handle = unsafe handles.take() else {
            _ = channel.lay(.init(end: .failure(TransferError(.outOfMemory))))
            return
        }
        let transfer = unsafe RunningTransfer(channel, handle, at: clock.now)
        guard unsafe transfer.start(on: multi) else {
            unsafe handles.give(handle)
            _ = channel.lay(.init(end: .failure(TransferError(.invalidURL))))
            return
        }
        running[ObjectIdentifier(channel)] = transfer
    }

    /// Runs libcurl, and passes on the received data.
    private func work() {
        guard let multi = unsafe multi else { return }
        var isMoving = true
        while isMoving {
            var count: CInt = 0
            unsafe curl_multi_perform(multi, &count)
            unsafe finishEnded(multi)
            let now = clock.now
            isMoving = false
            for transfer in running.values {
                unsafe idle.remove(ownPort: transfer.handle.pointee.own_port)
                if transfer.layDown(at: now) { isMoving = true }
                if transfer.hasFailed {
                    unsafe finish(transfer, CURLE_WRITE_ERROR, multi)
                } else if let timeout = transfer.timeout(at: now) {
                    end(transfer, timeout)
                }
            }
        }
    }

    private func finishEnded(_ multi: UnsafeMutableRawPointer) {
        var count: CInt = 0
        while let message = unsafe curl_multi_info_read(multi, &count) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let (easy, code) = unsafe (message.pointee.easy_handle, message.pointee.data.result)
            guard let transfer = running.values.first(where: { unsafe $0.handle.pointee.easy == easy }) else {
                continue
            }
            unsafe finish(transfer, code, multi)
        }
    }

    private func finish(_ transfer: RunningTransfer, _ code: CURLcode, _ multi: UnsafeMutableRawPointer) {
        let handle = unsafe transfer.handle
        let isStale = unsafe transferIsStale(code, handle)
        unsafe keep(calotype_transfer_kept_socket(handle), of: transfer)
        let end = unsafe transferResult(code, handle)
        unsafe curl_multi_remove_handle(multi, handle.pointee.easy)
        // Every idle connection may have been closed by the server meanwhile; a new one is not.
        if isStale, unsafe transfer.start(on: multi, isFresh: true) { return }
        release(transfer)
        transfer.layDown(end: end)
        unsafe handles.give(handle)
    }

    /// Watches the connection of a finished transfer, if it is reusable and no other transfer uses it.
    private func keep(_ socket: Int32, of transfer: RunningTransfer) {
        let handle = unsafe transfer.handle
        let version = unsafe calotype_transfer_number(handle, CURLINFO_HTTP_VERSION)
        guard socket >= 0 else { return }
        let port = unsafe handle.pointee.own_port
        // The next transfer may be using the connection already.
        let isTaken = running.values.contains { other in
            unsafe other !== transfer && other.handle.pointee.own_port == port
        }
        if isTaken { return }
        // Messages on an idle HTTP/2 connection are for libcurl to read when it reuses the connection.
        let isWatched = version < Int(CURL_HTTP_VERSION_2_0)
        idle.insert(socket, ownPort: port, isWatched: isWatched, at: clock.now)
        // Under TLS, pending bytes need not be part of a response.
        guard isWatched, transfer.channel.request.isPlain else { return }
        let rest = calotype_socket_rest(socket)
        guard rest > 0 else { return }
        if rest > 1 { unsafe handle.pointee.has_excess = true }
        idle.close(socket)
    }

    private func end(_ transfer: RunningTransfer, _ kind: TransferError.Kind) {
        let handle = unsafe transfer.handle
        // Otherwise an HTTP/2 connection would remain, without being watched.
        _ = unsafe calotype_transfer_set_number(handle, CURLOPT_FORBID_REUSE, 1)
        if let multi = unsafe multi { unsafe curl_multi_remove_handle(multi, handle.pointee.easy) }
        release(transfer)
        transfer.layDown(end: .failure(TransferError(kind)))
        unsafe handles.give(handle)
    }

    private func release(_ transfer: RunningTransfer) {
        running[ObjectIdentifier(transfer.channel)] = nil
    }

    private func wakeTime(_ restingSince: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let first = running.values.map(\.nextTimeout).min() ?? restingSince + settings.keepTimeout
        return idle.oldest.map { min(first, $0 + settings.keepTimeout) } ?? first
    }

    private func sleep(until instant: ContinuousClock.Instant) {
        guard let multi = unsafe multi, unsafe mailbox.beginSleep(on: multi) else { return }
        let limit = min(max(1, clock.now.duration(to: instant).milliseconds), Int(Int32.max))
        var watched = idle.watched
        unsafe watched.withUnsafeMutableBufferPointer { sockets in
            _ = unsafe curl_multi_poll(multi, sockets.baseAddress, UInt32(sockets.count), CInt(limit), nil)
        }
        mailbox.endSleep()
        idle.close(where: watched)
    }
}
#endif
