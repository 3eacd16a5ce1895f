import CalotypeSupport
import CalotypeTesting
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

/// Descriptors that other programs have made non-blocking.
@Suite(.blocking) struct DescriptorTests {
    private static let pool = BlockingPool(width: 2)
    private static let byteCount = 3 << 20

    private func pipeEnds(nonBlocking end: Int) throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        try #require(fcntl(ends[end], F_SETFL, fcntl(ends[end], F_GETFL) | O_NONBLOCK) == 0)
        return ends
    }

    @Test func `a full pipe that does not block is waited for`() async throws {
        let ends = try pipeEnds(nonBlocking: 1)
        let data = Data((0..<Self.byteCount).map { UInt8(truncatingIfNeeded: $0 >> 8) })
        async let written: Void = Self.pool.run { () throws(CommandError) in
            defer { close(ends[1]) }
            try OutputFile.append(data, to: ends[1], "/dev/fd/\(ends[1])")
        }
        let received = await Self.pool.run {
            var received = Data()
            var piece = [UInt8](repeating: 0, count: 1 << 12)
            while case let count = read(ends[0], &piece, piece.count), count > 0 {
                received += piece.prefix(count)
            }
            close(ends[0])
            return received
        }
        try await written
        #expect(received == data)
    }

    @Test func `an empty pipe that does not block is waited for`() async throws {
        let ends = try pipeEnds(nonBlocking: 0)
        let path = "/dev/fd/\(ends[0])"
        async let read = FileBytes.read(path)
        await Self.pool.run {
            for _ in 0..<3 { _ = write(ends[1], "abc", 3) }
            close(ends[1])
        }
        #expect(try await read == Data("abcabcabc".utf8))
        close(ends[0])
    }

    @Test func `writing to a descriptor whose reader has closed fails with an error`() throws {
        let ends = try pipeEnds(nonBlocking: 1)
        close(ends[0])
        let error = #expect(throws: CommandError.self) {
            try OutputFile.append(Data([1]), to: ends[1], "/dev/fd/\(ends[1])")
        }
        #expect(error?.description.contains("Broken pipe") == true)
        close(ends[1])
    }
}
