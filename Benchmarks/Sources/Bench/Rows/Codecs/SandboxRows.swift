import Calotype
import CalotypeSandbox
import CalotypeTesting
import Foundation

/// Codecs in workers against the same in process.
enum SandboxRows {
    /// The argument that starts this program as a worker.
    static let workerCommand = "codec-worker"

    static let all = [
        row("sandbox-thumbnail", "JPEG of 12 MP to 400 px", .milliseconds, .ratioAtMost(1.05), small: 400) {
            try SamplePictures.largeJPEG()
        },
        row("sandbox-decode", "full decode, JPEG of 12 MP", .milliseconds, .ratioAtMost(1.03)) {
            try SamplePictures.largeJPEG()
        },
        row("sandbox-little", "full decode, JPEG of some 20 kB", .milliseconds, .differenceAtMost(0.3)) {
            try JPEGEncoder(quality: 80).encode(try SamplePictures.image(width: 320))
        },
        Row(
            "sandbox-memory",
            "an idle worker's own memory, that no other process shares, of two workers",
            counted: .megabytes,
            .valueAtMost(15)
        ) {
            // One alone is the only process that maps the files of its libraries: as if they were its own.
            let (first, second) = (try await start(), try await start())
            defer { withExtendedLifetime((first, second)) {} }
            return Figures(ours: try privateMegabytesOfLastChild())
        },
        Row(
            "sandbox-start",
            "from the start of the first worker to its first picture",
            counted: .milliseconds,
            .valueAtMost(60)
        ) {
            let file = try JPEGEncoder().encode(try SamplePictures.image(width: 64))
            let start = ContinuousClock.now
            let workers = try await Self.start()
            use(try workers.codecs(.standard).decode(file))
            return Figures(ours: (ContinuousClock.now - start) / .milliseconds(1))
        },
    ]

    private static func start() async throws -> CodecWorkers {
        do {
            return try await CodecWorkers.start(
                .init(executable: "/proc/self/exe", arguments: [workerCommand], maxCount: 1)
            )
        } catch let error as SandboxError {
            throw Skipped("\(error)")
        }
    }

    private static func row(
        _ name: String,
        _ title: String,
        _ unit: Unit,
        _ target: Target,
        small width: Int? = nil,
        file: @escaping @Sendable () throws -> Data
    ) -> Row {
        Row(name, "\(title), in a worker; in process", in: unit, target) {
            let file = try file()
            let codecs = try await start().codecs(.standard)
            let options = width.map { DecodeOptions(target: .fit(width: $0)) } ?? DecodeOptions()
            return Contest(
                ours: { count in for _ in 0..<count { use(try codecs.decode(file, options: options)) } },
                baseline: { count in
                    for _ in 0..<count { use(try CodecRegistry.standard.decode(file, options: options)) }
                }
            )
        }
    }

    private static func privateMegabytesOfLastChild() throws -> Double {
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        let children = try tasks.flatMap { task in
            try String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)
                .split(separator: " ").map(String.init)
        }
        guard let child = children.last else { throw Skipped("there is no worker") }
        let rollup = try String(contentsOfFile: "/proc/\(child)/smaps_rollup", encoding: .utf8)
        let kilobytes = rollup.split(separator: "\n")
            .filter { $0.hasPrefix("Private_Dirty:") || $0.hasPrefix("Private_Clean:") }
            .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Double($0) } }
        return kilobytes.reduce(0, +) / 1_000
    }
}
