import CSandbox
import CalotypeCore
import CalotypeSupport

/// A flag in memory shared by the program and a worker: the reason the worker's job must stop, or 0.
// Unchecked because the compiler considers no pointer safe to share; the flag is only accessed atomically.
@safe final class StopPage: @unchecked Sendable {
    /// The memory with the flag (memfd), of fixed size.
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

    /// Maps the flag for reading; `nil` if the system has no memory for it.
    static func map(_ memory: Descriptor) -> UnsafeMutableRawPointer? {
        let start = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, memory.number, 0)
        return unsafe start == MAP_FAILED ? nil : start
    }
}
