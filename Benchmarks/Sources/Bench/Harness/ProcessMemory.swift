import Foundation

/// A measurement of the memory of a separate process: this one would hold the leftovers of other rows.
///
/// A row starts `bench --probe NAME ARGUMENT…`, which does the work of the probe and prints its figures.
struct MemoryProbe: Sendable {
    let name: String

    /// Does the work; returns figures in bytes.
    let measure: @Sendable (_ arguments: [String]) async throws -> [Int]

    /// Runs the probe in a process of its own, and returns its figures in megabytes.
    func run(_ arguments: String...) throws -> [Double] {
        let text = try ChildProcess.output("/proc/self/exe", ["--probe", name] + arguments)
        let figures = text.split(separator: "\n").compactMap { Double($0) }
        guard !figures.isEmpty else { throw Skipped("the process that measures said: \(text)") }
        return figures.map { $0 / 1_000_000 }
    }
}

/// The memory of this process.
enum ProcessMemory {
    /// Bytes that are in main memory now.
    static func resident() throws -> Int { try field("VmRSS") }

    /// The most bytes that were in main memory at any time.
    static func peak() throws -> Int { try field("VmHWM") }

    private static func field(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        // “VmHWM:    123456 kB”
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        guard let number = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Skipped("/proc/self/status has no \(name)")
        }
        return number * 1024
    }
}

/// Programs that rows start.
enum ChildProcess {
    /// Runs a program to its end and returns its output.
    static func output(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        // A link to this very program would be another's in the child.
        process.executableURL = URL(filePath: program).resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Skipped("\(program) ended with \(process.terminationStatus)")
        }
        return String(decoding: output, as: UTF8.self)
    }
}
