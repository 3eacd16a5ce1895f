import CalotypeTesting
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CalotypeSupport

@Suite(.gated) struct FutexLockTests {
    // Unchecked because the memory is accessed only through its lock.
    private final class Owner: @unchecked Sendable {
        private let memory = UnsafeMutableRawPointer.allocate(
            byteCount: FutexLock.byteCount,
            alignment: FutexLock.byteCount
        )
        let lock: FutexLock

        init() { lock = FutexLock(in: memory) }

        deinit { memory.deallocate() }

        var isAwaited: Bool { lock.word.pointee.load(ordering: .acquiring) == FutexLock.awaited }
        var isFree: Bool { lock.word.pointee.load(ordering: .acquiring) == FutexLock.free }
    }

    @Test func `waiters in the kernel are woken in turn, and the lock is free afterwards`() async {
        let owner = Owner()
        let pool = BlockingPool(width: 8)
        owner.lock.lock()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    await pool.run {
                        owner.lock.lock()
                        owner.lock.unlock()
                    }
                }
            }
            // A thread that has marked the word waits in the kernel, or is about to.
            while !owner.isAwaited { await Task.yield() }
            owner.lock.unlock()
        }
        #expect(owner.isFree)
    }

    @Test func `an uncontended lock is taken and released without a waiter mark`() {
        let owner = Owner()
        for _ in 0..<3 {
            owner.lock.lock()
            #expect(!owner.isFree && !owner.isAwaited)
            owner.lock.unlock()
            #expect(owner.isFree)
        }
    }

    @Test func `a waiting thread preserves errno`() async {
        let owner = Owner()
        let pool = BlockingPool(width: 1)
        owner.lock.lock()
        async let number = pool.run {
            errno = ENOENT
            owner.lock.lock()
            owner.lock.unlock()
            return errno
        }
        while !owner.isAwaited { await Task.yield() }
        owner.lock.unlock()
        #expect(await number == ENOENT)
    }
}
