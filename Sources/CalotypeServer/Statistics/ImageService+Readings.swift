import Calotype
import CalotypeCache
import CalotypeLoading
import CalotypeSupport

extension ImageService {
    /// What the service holds and does at the moment; takes some locks for an instant each, and waits for
    /// nothing.
    ///
    /// How many connections there are, how long it runs and whether it is ready is for whoever listens.
    public var readings: ServiceReadings {
        var readings = ServiceReadings()
        readings.load = load
        let activity = pipeline.activity
        (readings.fetchCount, readings.unwrittenByteCount) = (activity.loadCount, activity.unwrittenByteCount)
        let memory = pipeline.encodedMemoryLevel
        readings.memory = .init(memory.cost, of: memory.limit)
        for disk in pipeline.cache.stores.flatMap(Self.disks) {
            let name = disk.configuration.namespace
            readings.disks[name] = .init(disk.usageSoFar.byteCount, of: disk.settings?.sizeLimit)
        }
        readings.residentByteCount = Self.residentByteCount
        return readings
    }

    private static func disks(in store: any ByteStore) -> [DiskCache] {
        switch store {
        case let disk as DiskCache: [disk]
        case let routed as RoutedByteStore: routed.stores.flatMap(disks)
        default: []
        }
    }

    /// The second number of `/proc/self/statm`, in pages.
    private static var residentByteCount: Int? {
        let numbers = SmallFile.text(atPath: "/proc/self/statm")?.split(separator: " ")
        return numbers?.dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }
}
