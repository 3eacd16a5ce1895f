import CalotypeSupport
import Foundation
import Glibc

/// A terminal of 80 columns and 24 lines for the tool.
final class Terminal: Sendable {
    private struct Failure: Error {
        let number = errno
    }

    private static let pool = BlockingPool(width: 4)

    /// The tool's end; closed once it runs.
    let toolEnd: FileHandle
    private let ownEnd: Int32

    init() throws {
        var (own, tool): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&own, &tool, nil, nil, &size) == 0 else { throw Failure() }
        // Not inherited by other tools, which would hold the terminal open.
        for descriptor in [own, tool] {
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw Failure() }
        }
        ownEnd = own
        toolEnd = FileHandle(fileDescriptor: tool, closeOnDealloc: true)
    }

    deinit {
        close(ownEnd)
    }

    /// Runs the tool to its exit on a separate terminal.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the tool.
    ///   - onChange: Called with all output so far whenever there is more.
    /// - Returns: The exit status, and all output.
    /// - Throws: The system error if no terminal is available.
    static func run(
        _ arguments: [String],
        onChange: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> (status: Int32, text: String) {
        let terminal = try Terminal()
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        async let outcome = Tool.run(arguments, on: terminal) { _ in start.finish() }
        for await _ in starts {}
        let text = try await terminal.transcript(onChange)
        return (try await outcome.status, text)
    }

    private func transcript(_ onChange: @escaping @Sendable (String) -> Void) async throws -> String {
        // The end is reported only when no process has it open.
        try toolEnd.close()
        return await Self.pool.run { [ownEnd] in
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(ownEnd, &chunk, chunk.count)
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += chunk.prefix(count)
                onChange(String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}
