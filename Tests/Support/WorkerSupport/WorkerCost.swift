public import CalotypeCodecs
import CalotypeCore
import CalotypeSandbox
public import FoundationEssentials
import Glibc

/// The outcome of a file in a new worker, and its cost including the start.
public struct WorkerCost: Sendable, CustomStringConvertible {
    /// `ok` or the code of an error.
    public let outcome: String
    /// Processor time; 0 if the worker was lost.
    public let milliseconds: Int
    /// Peak memory, including shared memory; 0 if the worker was lost.
    public let kilobytes: Int
    /// Whether the worker was lost.
    public let isLost: Bool

    /// Decodes a file, and the first three frames of an animation.
    public init(of data: Data, options: DecodeOptions = DecodeOptions()) async throws {
        let workers = try await Workers.started(maxCount: 1)
        outcome = try await workers.run { codecs in
            do {
                let image = try codecs.decode(data, options: options)
                guard let animation = image.animation else { return "ok" }
                for index in 0..<min(3, animation.frameCount) { _ = try animation.decodeFrame(at: index) }
                return "ok"
            } catch let error as DecodeError {
                return error.code.label
            }
        }
        isLost = workers.statistics.lostCount > 0
        let readings = try workers.idleProcessIDs.map { try Reading($0) }
        milliseconds = isLost ? 0 : readings.map(\.milliseconds).max() ?? 0
        kilobytes = isLost ? 0 : readings.map(\.kilobytes).max() ?? 0
    }

    /// One line with all values.
    public var description: String {
        "\(outcome) after \(milliseconds) ms, \(kilobytes) kB\(isLost ? ", and its worker was lost" : "")"
    }

    /// Values from proc(5).
    private struct Reading {
        let milliseconds, kilobytes: Int

        init(_ processID: Int32) throws {
            let status = try String(contentsOf: Self.file("status", processID), encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
            // The program name, in parentheses, may contain anything.
            let fields =
                try String(contentsOf: Self.file("stat", processID), encoding: .utf8)
                .split(separator: ")").last?.split(separator: " ").compactMap { Int($0) } ?? []
            // The fields utime and stime; the state letter is dropped.
            let ticks = fields.count > 11 ? fields[10] + fields[11] : 0
            milliseconds = ticks * 1_000 / max(1, sysconf(Int32(_SC_CLK_TCK)))
        }

        private static func file(_ name: String, _ processID: Int32) -> URL {
            URL(filePath: "/proc/\(processID)/\(name)")
        }
    }
}
