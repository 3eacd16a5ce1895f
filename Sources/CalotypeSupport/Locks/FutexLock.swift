internal import CThreadCalls
public import Synchronization

/// A lock of one word, which waits in the kernel only when it must.
///
/// A thread that finds the lock free takes it, even ahead of waiting threads. A fair lock would make all
/// waiters wait until the first of them runs; with more threads than cores that is a context switch for each
/// acquisition.
///
/// The three states and the order of the steps are those of "mutex2" in U. Drepper, "Futexes are tricky"
/// (2011), with a short spin before the wait.
// Unchecked because the compiler cannot prove that a pointer is shared safely; the word is only accessed
// atomically.
@usableFromInline @safe
struct FutexLock: @unchecked Sendable {
    @usableFromInline typealias Word = Atomic<UInt32>

    @usableFromInline static var free: UInt32 { 0 }
    @usableFromInline static var taken: UInt32 { 1 }
    /// Locked, and a thread may wait in the kernel.
    @usableFromInline static var awaited: UInt32 { 2 }

    /// How often a thread retries before it waits in the kernel.
    ///
    /// About a microsecond, several times the length of a critical section. The loss is larger if the owner
    /// is not running.
    private static var maxSpinCount: Int { 40 }

    @usableFromInline let word: UnsafeMutablePointer<Word>

    /// The size and the alignment of the word in bytes.
    @inlinable static var byteCount: Int { MemoryLayout<Word>.size }

    /// Creates a free lock in memory that the caller deallocates once the lock is no longer used.
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
        for _ in 0..<Self.maxSpinCount {
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
        // Other threads may wait too, so the lock is taken as awaited: at worst, unlocking makes a needless
        // wake call.
        while unsafe word.pointee.exchange(Self.awaited, ordering: .acquiring) != Self.free {
            unsafe calotype_futex_wait(word, Self.awaited)
        }
    }

    @usableFromInline @inline(never)
    func wakeOne() {
        unsafe calotype_futex_wake_one(word)
    }
}
