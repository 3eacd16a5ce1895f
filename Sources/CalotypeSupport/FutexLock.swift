internal import CThreadCalls
public import Synchronization

/// A lock of one word, which waits in the kernel only where it must.
///
/// Whoever comes while the lock is free has it, also ahead of threads that wait: a lock that is handed to the
/// first in line makes everybody wait until that thread runs, and where threads outnumber cores that is a
/// switch in the kernel for each time the lock is taken.
///
/// The state of three values and the order of its steps are those of "mutex2" in U. Drepper, "Futexes are
/// tricky" (2011), with a short wait ahead of the long one.
// Unchecked because the compiler knows no pointer to be shared safely; the word is only reached atomically.
@usableFromInline @safe
struct FutexLock: @unchecked Sendable {
    @usableFromInline typealias Word = Atomic<UInt32>

    @usableFromInline static var free: UInt32 { 0 }
    @usableFromInline static var taken: UInt32 { 1 }
    /// Taken, and somebody may wait in the kernel.
    @usableFromInline static var awaited: UInt32 { 2 }

    /// How often a thread looks again before it waits in the kernel.
    ///
    /// About a microsecond, several times what is done under a lock. More is lost where the owner does not
    /// run.
    private static var spinCountMax: Int { 40 }

    @usableFromInline let word: UnsafeMutablePointer<Word>

    /// The bytes of the word, which is aligned to as many.
    @inlinable static var byteCount: Int { MemoryLayout<Word>.size }

    /// Makes a free lock in memory that is the caller's to deallocate, once nobody uses the lock.
    @inlinable
    init(in memory: UnsafeMutableRawPointer) {
        unsafe word = unsafe memory.bindMemory(to: Word.self, capacity: 1)
        unsafe word.initialize(to: Word(Self.free))
    }

    @inlinable @inline(__always)
    func lock() {
        let isMine = unsafe word.pointee.compareExchange(
            expected: Self.free,
            desired: Self.taken,
            ordering: .acquiring
        ).exchanged
        if !isMine { lockLate() }
    }

    @inlinable @inline(__always)
    func unlock() {
        if unsafe word.pointee.exchange(Self.free, ordering: .releasing) == Self.awaited { wakeOne() }
    }

    // Not inlined, so that the path of a free lock stays short.
    @usableFromInline @inline(never)
    func lockLate() {
        for _ in 0..<Self.spinCountMax {
            if unsafe word.pointee.load(ordering: .relaxed) == Self.free {
                let isMine = unsafe word.pointee.compareExchange(
                    expected: Self.free,
                    desired: Self.taken,
                    ordering: .acquiring
                ).exchanged
                if isMine { return }
            }
            calotype_thread_pause()
        }
        // Others may wait too, so it is taken as awaited: unlocking it wakes one for nothing at worst.
        while unsafe word.pointee.exchange(Self.awaited, ordering: .acquiring) != Self.free {
            unsafe calotype_futex_wait(word, Self.awaited)
        }
    }

    @usableFromInline @inline(never)
    func wakeOne() {
        unsafe calotype_futex_wake_one(word)
    }
}
