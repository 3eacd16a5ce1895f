import CCountedMemory
import CountedWork
import Foundation

/// Counts system calls: this program runs itself under `strace`.
enum SystemCalls {
    /// How often a piece of work makes each call; those that it makes less than once in two hundred times are
    /// left out.
    ///
    /// The work is done N times and 2 N times, and the difference taken, so that start and end do not count;
    /// of three such differences the least, since other threads start and end when they like.
    ///
    /// - Throws: ``Skipped`` where nothing can be traced.
    static func counts(of work: CountedWork) throws -> [String: Double] {
        if work.maxCount != nil, try !readsInPlace() {
            throw Skipped(
                "the system cannot read files here without waiting; each read is made by another thread"
            )
        }
        let turns = try (0..<3).map { _ in try difference(work, 2_000) }
        return turns.min { $0.values.reduce(0, +) < $1.values.reduce(0, +) } ?? [:]
    }

    private static func difference(_ work: CountedWork, _ count: Int) throws -> [String: Double] {
        let (once, twice) = (try trace(work, count), try trace(work, 2 * count))
        return twice.reduce(into: [:]) { counts, call in
            let mean = Double(call.value - once[call.key, default: 0]) / Double(count)
            if mean >= 0.005 { counts[call.key] = mean }
        }
    }

    /// Whether files in the folder for temporary ones can be read on the calling thread.
    private static func readsInPlace() throws -> Bool {
        let path = FileManager.default.temporaryDirectory.appending(path: "probe-\(UUID().uuidString)").path
        try Data("a byte".utf8).write(to: URL(filePath: path))
        defer { remove(path) }
        return ccm_reads_in_place(path) == 1
    }

    private static func trace(_ work: CountedWork, _ count: Int) throws -> [String: Int] {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let strace = URL(filePath: "/usr/bin/strace")
        guard FileManager.default.isExecutableFile(atPath: strace.path) else {
            throw Skipped("there is no strace")
        }
        let table = FileManager.default.temporaryDirectory.appending(path: "calls-\(UUID().uuidString)")
        let process = Process()
        process.executableURL = strace
        process.arguments = ["-f", "-c", "-o", table.path, program.path, work.rawValue, String(count)]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0, FileManager.default.fileExists(atPath: table.path) else {
            throw Skipped("strace may not trace here")
        }
        defer { remove(table.path) }
        return calls(in: try String(contentsOf: table, encoding: .utf8))
    }

    /// The calls of a table whose lines are “% time, seconds, µs a call, calls, errors or nothing, name”.
    private static func calls(in table: String) -> [String: Int] {
        table.split(separator: "\n").reduce(into: [:]) { calls, line in
            let columns = line.split(separator: " ")
            guard columns.count >= 5, Double(columns[0]) != nil, let count = Int(columns[3]) else { return }
            guard let name = columns.last, name != "total" else { return }
            calls[String(name)] = count
        }
    }
}
