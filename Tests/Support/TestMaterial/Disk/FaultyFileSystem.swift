package import CalotypeCache
package import CalotypeCore
import CalotypeSupport
package import CalotypeTesting

/// A file system that fails on demand, and otherwise forwards to another one.
///
/// It counts the calls that can fail, so that a test can run an action once, and then again for each call
/// with that call failing.
package final class FaultyFileSystem: FileSystem {
    package struct Fault: Sendable {
        /// The call that fails; `nil` for any.
        package var call: Call?
        /// The number of such calls that succeed first.
        package var skipping: Int
        package var errorNumber: Int32
        package var count: Int

        package init(_ call: Call? = nil, skipping: Int = 0, errorNumber: Int32, count: Int = 1) {
            self.call = call
            self.skipping = skipping
            self.errorNumber = errorNumber
            self.count = count
        }
    }

    package enum Call: String, Sendable, CaseIterable {
        case open, close, status, read, write, copy, synchronize, setTimes, setAccessTime, setOwner, tryLock
        case rename, link, removeFile, removeFolder, makeFolder, list, freeByteCount

        fileprivate var changesFiles: Bool {
            [.setAccessTime, .rename, .link, .removeFile, .removeFolder, .makeFolder].contains(self)
        }
    }

    private struct State {
        var fault: Fault?
        var calls: [Call] = []
        var openFiles: Set<FileDescriptor> = []
        var userID: UInt32?
        var hold: Hold?
        var writeRefusal: Int32?
        var refusal: Refusal?
        var kill: (call: Call?, skipping: Int)?
        var freeByteCount: Int?
        var hasShortCachedReads = false
    }

    private struct Refusal: Sendable {
        let call: Call
        let errorNumber: Int32
        let isRefused: @Sendable (String) -> Bool
    }

    private struct Hold: Sendable {
        let call: Call
        var skipping: Int
        let reached: AsyncGate
        let released: BlockingGate
    }

    private let base: any FileSystem
    private let state = Guarded(State())

    package init(over base: any FileSystem = PosixFileSystem()) {
        self.base = base
    }

    /// Schedules a fault, or none, and clears the record of calls.
    package func arm(_ fault: Fault?) {
        state.withLock { state in
            state.fault = fault
            state.calls = []
        }
    }

    /// The calls made since the last ``arm(_:)``.
    package var calls: [Call] { state.withLock { $0.calls } }

    package var hasFailed: Bool { state.withLock { $0.fault == nil } }

    /// The number of files opened and not closed; files left at the end of a test have leaked.
    package var openFileCount: Int { state.withLock { $0.openFiles.count } }

    /// Makes a later call of a kind open one gate and wait at another; `skipping` such calls pass first.
    package func hold(
        _ call: Call,
        skipping: Int = 0,
        reached: AsyncGate,
        until released: BlockingGate
    ) {
        state.withLock {
            $0.hold = Hold(call: call, skipping: skipping, reached: reached, released: released)
        }
    }

    /// Makes every changing call fail, as on a file system mounted read-only.
    package func refuseWrites(with errorNumber: Int32?) {
        state.withLock { $0.writeRefusal = errorNumber }
    }

    /// Makes each call of a kind fail on paths that match a predicate, until the next `refuse` call.
    package func refuse(
        _ call: Call,
        with errorNumber: Int32,
        on isRefused: @escaping @Sendable (String) -> Bool
    ) {
        let refusal = Refusal(call: call, errorNumber: errorNumber, isRefused: isRefused)
        state.withLock { $0.refusal = refusal }
    }

    /// Makes this process kill itself, as by `kill -9`, at the start of a later call, of one kind or of any.
    package func killProcess(at call: Call? = nil, skipping: Int) {
        state.withLock { $0.kill = (call, skipping) }
    }

    /// Pretends that the process runs as another user.
    package func actAs(userID: UInt32) {
        state.withLock { $0.userID = userID }
    }

    package var userID: UInt32 { state.withLock { $0.userID } ?? base.userID }

    /// Records a call, and throws if it must fail.
    private func enter(_ call: Call, _ path: String = "") throws(FileError) {
        let hold = state.withLock { state -> Hold? in
            guard let hold = state.hold, hold.call == call else { return nil }
            guard hold.skipping == 0 else {
                state.hold?.skipping -= 1
                return nil
            }
            state.hold = nil
            return hold
        }
        if let hold {
            hold.reached.open()
            hold.released.wait()
        }
        let errorNumber = state.withLock { state -> Int32? in
            if let fatal = state.kill {
                if fatal.call == nil || fatal.call == call {
                    if fatal.skipping == 0 { kill(getpid(), SIGKILL) }
                    state.kill?.skipping -= 1
                }
            } else {
                state.calls.append(call)
            }
            if let refusal = state.writeRefusal, call.changesFiles { return refusal }
            guard var fault = state.fault, fault.call == nil || fault.call == call else { return nil }
            guard fault.skipping == 0 else {
                fault.skipping -= 1
                state.fault = fault
                return nil
            }
            fault.count -= 1
            state.fault = fault.count == 0 ? nil : fault
            return fault.errorNumber
        }
        if let refusal = state.withLock(\.refusal), refusal.call == call, refusal.isRefused(path) {
            throw FileError(call.rawValue, path: path, errorNumber: refusal.errorNumber)
        }
        if let errorNumber { throw FileError(call.rawValue, path: path, errorNumber: errorNumber) }
    }
}

extension FaultyFileSystem {
    /// Opens files for cached reads as for plain ones: all data counts as cached here, unless a fault occurs.
    package func open(_ path: String, as mode: FileOpenMode) throws(FileError) -> FileDescriptor {
        try enter(.open, path)
        let file = try base.open(path, as: mode == .cachedRead ? .read : mode)
        state.withLock { _ = $0.openFiles.insert(file) }
        return file
    }

    package func close(_ file: FileDescriptor) throws(FileError) {
        // The descriptor is invalid even if closing reports an error, as with the real call.
        state.withLock { _ = $0.openFiles.remove(file) }
        try base.close(file)
        try enter(.close)
    }

    package func status(of file: FileDescriptor) throws(FileError) -> FileStatus {
        try enter(.status)
        return try base.status(of: file)
    }

    package func status(at path: String) throws(FileError) -> FileStatus {
        try enter(.status, path)
        return try base.status(at: path)
    }

    package func linkTarget(at path: String) throws(FileError) -> String {
        try enter(.status, path)
        return try base.linkTarget(at: path)
    }

    package func read(
        _ file: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int {
        try enter(.read)
        return try base.read(file, into: buffer, at: offset)
    }

    package func readCached(
        _ file: FileDescriptor,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int {
        let count = try read(file, into: buffer, at: offset)
        return state.withLock { $0.hasShortCachedReads } ? count / 2 : count
    }

    /// Makes cached reads return only half of the data.
    package func shortenCachedReads() {
        state.withLock { $0.hasShortCachedReads = true }
    }

    /// A failing write leaves the first half of the bytes, like a disk that fills up during it.
    package func write(_ file: FileDescriptor, _ buffers: [UnsafeRawBufferPointer]) throws(FileError) {
        do {
            try enter(.write)
        } catch {
            if let first = buffers.first {
                try base.write(file, [.init(rebasing: first.prefix(first.count / 2))])
            }
            throw error
        }
        try base.write(file, buffers)
    }

    package func copy(
        from source: FileDescriptor,
        to target: FileDescriptor,
        byteCount: Int
    ) throws(FileError) {
        do {
            try enter(.copy)
        } catch {
            try base.copy(from: source, to: target, byteCount: byteCount / 2)
            throw error
        }
        try base.copy(from: source, to: target, byteCount: byteCount)
    }

    package func synchronize(_ file: FileDescriptor) throws(FileError) {
        try enter(.synchronize)
        try base.synchronize(file)
    }

    package func setTimes(
        of file: FileDescriptor,
        accessedAt: Timestamp,
        writtenAt: Timestamp
    ) throws(FileError) {
        try enter(.setTimes)
        try base.setTimes(of: file, accessedAt: accessedAt, writtenAt: writtenAt)
    }

    package func setAccessTime(at path: String, to time: Timestamp) throws(FileError) {
        try enter(.setAccessTime, path)
        try base.setAccessTime(at: path, to: time)
    }

    package func setOwner(of file: FileDescriptor, to owner: FileOwner) throws(FileError) {
        try enter(.setOwner)
        try base.setOwner(of: file, to: owner)
    }

    package func tryLock(_ file: FileDescriptor) throws(FileError) -> Bool {
        try enter(.tryLock)
        return try base.tryLock(file)
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try enter(.rename, newPath)
        try base.rename(path, to: newPath)
    }

    package func link(_ path: String, to newPath: String) throws(FileError) {
        try enter(.link, newPath)
        try base.link(path, to: newPath)
    }

    package func removeFile(_ path: String) throws(FileError) {
        try enter(.removeFile, path)
        try base.removeFile(path)
    }

    package func removeFolder(_ path: String) throws(FileError) {
        try enter(.removeFolder, path)
        try base.removeFolder(path)
    }

    package func makeFolder(_ path: String) throws(FileError) {
        try enter(.makeFolder, path)
        try base.makeFolder(path)
    }

    package func list(_ path: String, _ body: (FolderItem) -> Void) throws(FileError) {
        try enter(.list, path)
        try base.list(path, body)
    }

    package func freeByteCount(at path: String) throws(FileError) -> Int {
        try enter(.freeByteCount, path)
        if let byteCount = state.withLock({ $0.freeByteCount }) { return byteCount }
        return try base.freeByteCount(at: path)
    }

    /// Pretends that the disk has this many bytes free; `nil` reports the real number again.
    package func pretendFree(_ byteCount: Int?) {
        state.withLock { $0.freeByteCount = byteCount }
    }
}
