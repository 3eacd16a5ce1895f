import Foundation
import Glibc

/// A control group with a memory limit, for a service and its workers.
struct MemoryGroup {
    private let folder: String
    /// The file with the number of processes that the system has killed for lack of memory.
    private let eventsName: String

    /// Creates a group; `nil` if this process may not.
    init?(maxByteCount: Int) {
        let kinds = [
            ("/sys/fs/cgroup/memory", ":memory:", "memory.limit_in_bytes", "memory.oom_control"),
            ("/sys/fs/cgroup", "0::", "memory.max", "memory.events"),
        ]
        guard let own = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8) else { return nil }
        for (root, mark, limitName, eventsName) in kinds {
            guard let line = own.split(separator: "\n").first(where: { $0.contains(mark) }),
                let path = line.split(separator: ":", omittingEmptySubsequences: false).last
            else { continue }
            let folder = "\(root)\(path)/calotype-\(UUID().uuidString)"
            guard mkdir(folder, 0o755) == 0 else { continue }
            if Self.write("\(maxByteCount)", to: "\(folder)/\(limitName)") {
                (self.folder, self.eventsName) = (folder, eventsName)
                return
            }
            // It is a folder of another file system, or a group without a memory controller.
            rmdir(folder)
        }
        return nil
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
    }

    /// Whether this process may create groups.
    static let isAvailable: Bool = {
        guard let group = MemoryGroup(maxByteCount: 1 << 30) else { return false }
        group.remove()
        return true
    }()

    /// The shell command that puts its process into the group.
    var entering: String { "echo $$ > '\(folder)/cgroup.procs'" }

    var killCount: Int {
        get throws {
            let lines = try String(contentsOfFile: "\(folder)/\(eventsName)", encoding: .utf8)
                .split(separator: "\n")
            let line = lines.first { $0.hasPrefix("oom_kill ") }
            return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
        }
    }

    func remove() {
        for _ in 0..<10_000 where rmdir(folder) != 0 && errno == EBUSY { sched_yield() }
    }
}
