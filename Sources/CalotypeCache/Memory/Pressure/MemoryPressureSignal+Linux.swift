internal import CalotypeSupport

/// A file on which the kernel raises `POLLPRI`.
protocol MemoryPressureSignal: Sendable {
    var descriptor: Descriptor { get }

    /// Interprets an event; called by one thread only.
    func read(returnedEvents: Int16) -> MemoryPressureReading
}

/// The meaning of an event on a signal.
enum MemoryPressureReading: Hashable, Sendable {
    case nothing
    case pressure(MemoryPressure)
    /// There will be no further events.
    case broken
}

/// A trigger on a file of pressure stall information.
struct StallSignal: MemoryPressureSignal {
    let descriptor: Descriptor
    private let pressure: MemoryPressure

    /// Registers the trigger; returns `nil` if the kernel has no such file or denies it.
    init?(path: String, trigger: StallTrigger, pressure: MemoryPressure) {
        guard let descriptor = unsafe Descriptor(open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) else {
            return nil
        }
        let text = Array(trigger.text.utf8) + [0]
        guard unsafe write(descriptor.number, text, text.count) == text.count else { return nil }
        self.descriptor = descriptor
        self.pressure = pressure
    }

    func read(returnedEvents: Int16) -> MemoryPressureReading {
        if returnedEvents & Int16(POLLERR | POLLNVAL) != 0 { return .broken }
        return returnedEvents & Int16(POLLPRI) != 0 ? .pressure(pressure) : .nothing
    }
}

/// The `memory.events` file of a control group.
///
/// At each change, the kernel raises `POLLERR` with `POLLPRI` on such a file until it is read again.
struct CgroupSignal: MemoryPressureSignal {
    let descriptor: Descriptor
    private let folder: String
    private let last: Counters

    private final class Counters: Sendable {
        let events: Guarded<CgroupMemoryEvents>

        init(_ events: CgroupMemoryEvents) {
            self.events = Guarded(events)
        }
    }

    /// Opens the file in a group's folder; returns `nil` if it is missing or cannot be read.
    init?(folder: String) {
        guard let descriptor = unsafe Descriptor(open(folder + "/memory.events", O_RDONLY | O_CLOEXEC)),
            let text = SmallFile.text(of: descriptor.number)
        else { return nil }
        self.descriptor = descriptor
        self.folder = folder
        last = Counters(CgroupMemoryEvents(parsing: text))
    }

    func read(returnedEvents: Int16) -> MemoryPressureReading {
        guard let text = SmallFile.text(of: descriptor.number) else { return .broken }
        let events = CgroupMemoryEvents(parsing: text)
        let earlier = last.events.withLock { last in
            defer { last = events }
            return last
        }
        return events.pressure(since: earlier, isShort: { isShort }).map { .pressure($0) } ?? .nothing
    }

    private var isShort: Bool {
        CgroupShortage.isShort(
            statistics: SmallFile.text(atPath: folder + "/memory.stat"),
            stalls: SmallFile.text(atPath: folder + "/memory.pressure"),
            limit: ControlGroups.memoryLimit(ofFolder: folder, readText: SmallFile.text(atPath:))
        )
    }
}
