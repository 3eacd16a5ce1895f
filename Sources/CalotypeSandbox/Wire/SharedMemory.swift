import CSandbox
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// Memory that a program and its workers see both: it neither grows nor shrinks.
struct SharedMemory: Sendable {
    let descriptor: Descriptor
    let byteCount: Int
}

extension SharedMemory {
    /// Memory that has been handed over, by its own size.
    init(descriptor: Descriptor) {
        self.init(descriptor: descriptor, byteCount: Int(calotype_sandbox_size(descriptor.number)))
    }

    /// New memory that holds zeros; `nil` where the system has none to give.
    init?(byteCount: Int) {
        guard let descriptor = Descriptor(calotype_sandbox_memory(max(1, byteCount))) else { return nil }
        self.descriptor = descriptor
        self.byteCount = byteCount
    }

    /// A copy of bytes that nobody can change; `nil` where the system has no memory to give.
    init?(copying bytes: UnsafeRawBufferPointer) {
        let number = unsafe calotype_sandbox_sealed_copy(bytes.baseAddress, bytes.count)
        guard let descriptor = Descriptor(number) else { return nil }
        self.descriptor = descriptor
        byteCount = bytes.count
    }

    /// Has nobody change it any more.
    ///
    /// - Returns: Whether nobody can; false while somebody could still write to it.
    func seal() -> Bool { calotype_sandbox_seal(descriptor.number) == 0 }

    /// The bytes, to be given back by `munmap`; `nil` where the system has no room for them.
    ///
    /// What is mapped to be read is private to this process, since the kernel maps sealed memory in no
    /// other way.
    func map(writable: Bool = false, isPopulated: Bool = false) -> UnsafeMutableRawPointer? {
        let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
        // All pages at once, which costs less than each when it is reached.
        let kind = (writable ? MAP_SHARED : MAP_PRIVATE) | (isPopulated ? MAP_POPULATE : 0)
        let start = unsafe mmap(nil, max(1, byteCount), protection, kind, descriptor.number, 0)
        return unsafe start == MAP_FAILED ? nil : start
    }

    /// The pixels, once they are sealed.
    func pixels() -> PixelBuffer? {
        guard byteCount > 0, let start = unsafe map() else { return nil }
        return PixelBuffer(adopting: unsafe PixelMemory(mapped: start, byteCount: byteCount))
    }

    /// The bytes in place, once they are sealed.
    func data() -> Data? {
        guard byteCount > 0, let start = unsafe map(isPopulated: true) else {
            return byteCount == 0 ? Data() : nil
        }
        return unsafe Data(
            bytesNoCopy: start,
            count: byteCount,
            deallocator: .custom { start, count in unsafe munmap(start, count) }
        )
    }
}

/// A word that a program writes and a worker reads: the reason why its job is to end, 0 for none.
// Unchecked because the compiler knows no pointer to be shared safely; the word is only reached atomically.
@safe final class StopPage: @unchecked Sendable {
    let memory: SharedMemory
    private let start: UnsafeMutableRawPointer

    init?() {
        guard let memory = SharedMemory(byteCount: 4_096), let start = unsafe memory.map(writable: true)
        else {
            return nil
        }
        self.memory = memory
        unsafe self.start = start
    }

    deinit {
        unsafe munmap(start, memory.byteCount)
    }

    func tell(_ reason: WorkStop.Reason?) {
        unsafe WorkStop.tell(reason, at: start)
    }
}
