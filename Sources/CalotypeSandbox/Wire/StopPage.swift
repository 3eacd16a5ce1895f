import CSandbox
import CalotypeCore
import CalotypeSupport

/// A word that a program writes and a worker reads: the reason why its job is to end, 0 for none.
// Unchecked because the compiler knows no pointer to be shared safely; the word is only reached atomically.
@safe final class StopPage: @unchecked Sendable {
    /// The memory with the word (memfd), which neither grows nor shrinks.
    let memory: Descriptor
    private let start: UnsafeMutableRawPointer

    private static let byteCount = 4_096

    init?() {
        guard let memory = Descriptor(calotype_sandbox_memory(Self.byteCount)),
            let start = unsafe Self.map(memory)
        else {
            return nil
        }
        self.memory = memory
        unsafe self.start = start
    }

    deinit {
        unsafe munmap(start, Self.byteCount)
    }

    func tell(_ reason: WorkStop.Reason?) {
        unsafe WorkStop.tell(reason, at: start)
    }

    /// The word, to be read; `nil` where the system has no room for it.
    static func map(_ memory: Descriptor) -> UnsafeMutableRawPointer? {
        let start = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, memory.number, 0)
        return unsafe start == MAP_FAILED ? nil : start
    }
}
