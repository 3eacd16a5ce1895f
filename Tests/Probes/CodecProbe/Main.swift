import CalotypeCodecs
import CalotypeCore
import FoundationEssentials
import Glibc

/// Decodes a file and reports the cost, in a separate process without other allocations.
///
///     CodecProbe PATH [BYTES [--encoding]]
///     CodecProbe --filling VALUE PATH…
///
/// The first three frames of an animation are decoded too. A number of bytes limits the growth of the address
/// space after the header has been read. With `--encoding` the file is decoded first, and then encoded as a
/// BMP within that limit. For a filling see ``Outcomes``.
///
/// Prints one line of tab-separated fields: the outcome of the header and of the decode (`ok` or the error
/// code), milliseconds of CPU time, kilobytes by which peak memory grew, bytes of the image, and the text of
/// the error.
@main
struct CodecProbe {
    static func main() throws {
        // A process that never ends is killed.
        var limit = rlimit(rlim_cur: 30, rlim_max: 30)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
        let arguments = CommandLine.arguments
        if arguments.count > 2, arguments[1] == "--filling", let filling = UInt8(arguments[2]) {
            return try Outcomes.print(of: arguments.dropFirst(3), filling: filling)
        }
        guard (2...4).contains(arguments.count) else {
            print("usage: CodecProbe PATH [BYTES [--encoding]]")
            exit(2)
        }
        let data = try Data(contentsOf: URL(filePath: arguments[1]))
        let decoded = arguments.count == 4 ? try CodecRegistry.standard.decode(data) : nil
        let (startTime, startPeak) = (cpuTime(), try peak())
        let header = outcome {
            _ = try CodecRegistry.standard.info(of: data)
            return 0
        }
        // The libraries are loaded by now.
        if let byteCount = arguments.dropFirst(2).first.flatMap({ Int($0) }) {
            try limitMemory(to: byteCount)
        }
        let image = outcome {
            if let decoded { return try BMPEncoder().encode(decoded).count }
            return try decodedByteCount(of: data)
        }
        let milliseconds = Int((cpuTime() - startTime) * 1_000)
        let fields: [Any] = [
            header.label, image.label, milliseconds, try peak() - startPeak, image.byteCount, image.detail,
        ]
        print(fields.map(String.init(describing:)).joined(separator: "\t"))
    }

    private static func outcome(
        _ body: () throws -> Int
    ) -> (label: String, byteCount: Int, detail: String) {
        do {
            return ("ok", try body(), "")
        } catch let error as DecodeError {
            return (error.code.label, 0, error.detail)
        } catch let error as EncodeError {
            return (error.code.label, 0, error.detail)
        } catch {
            return ("other", 0, "\(error)")
        }
    }

    /// The bytes of the image; the first frames of an animation are decoded and released.
    private static func decodedByteCount(of data: Data) throws -> Int {
        let image = try CodecRegistry.standard.decode(data)
        for index in 0..<min(3, image.animation?.frameCount ?? 0) {
            _ = try image.animation?.decodeFrame(at: index)
        }
        return image.pixels.byteCount
    }

    /// The CPU seconds of all threads.
    private static func cpuTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func limitMemory(to byteCount: Int) throws {
        let limit = rlim_t(try kilobytes("VmSize:") * 1_024 + byteCount)
        var limits = rlimit(rlim_cur: limit, rlim_max: limit)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limits)
    }

    /// The peak memory of the process in kilobytes.
    private static func peak() throws -> Int { try kilobytes("VmHWM:") }

    /// A value of `status` in proc(5).
    private static func kilobytes(_ name: String) throws -> Int {
        let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
