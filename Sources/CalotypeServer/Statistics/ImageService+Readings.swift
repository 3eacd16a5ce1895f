import Calotype
import CalotypeCache
import CalotypeLoading
import CalotypeSupport
import FoundationEssentials

extension ImageService {
    /// The current readings of the service; takes some short locks, and does not wait.
    ///
    /// The listener adds the number of connections, the uptime and the readiness.
    public var readings: ServiceReadings {
        var readings = ServiceReadings()
        readings.load = pipeline.workload
        let activity = pipeline.activity
        (readings.fetchCount, readings.unwrittenByteCount) = (activity.loadCount, activity.unwrittenByteCount)
        let memory = pipeline.encodedMemoryLevel
        readings.memory = .init(memory.cost, of: memory.limit)
        readings.evictionCounts = ["memory": pipeline.encodedEvictionCount]
        for disk in pipeline.cache.stores.flatMap(Self.disks) {
            readings.evictionCounts["disk", default: 0] += disk.statistics.evictionCount
            let name = disk.configuration.namespace
            readings.disks[name] = .init(disk.usageSoFar.byteCount, of: disk.settings?.sizeLimit)
        }
        readings.residentByteCount = Self.residentByteCount
        readings.processorTime = ProcessUsage.processorTime
        readings.descriptors = Self.descriptors
        return readings
    }

    private static func disks(in store: any ByteStore) -> [DiskCache] {
        switch store {
        case let disk as DiskCache: [disk]
        case let routed as RoutedByteStore: routed.stores.flatMap(disks)
        default: []
        }
    }

    private static var descriptors: ServiceReadings.Level? {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            // One of them is the descriptor of the folder.
            return .init(max(0, names.count - 1), of: ProcessUsage.descriptorLimit)
        } catch {
            // The system does not report them.
            return nil
        }
    }

    /// The second number of `/proc/self/statm`, in pages.
    private static var residentByteCount: Int? {
        let numbers = SmallFile.text(atPath: "/proc/self/statm")?.split(separator: " ")
        return numbers?.dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }
}
