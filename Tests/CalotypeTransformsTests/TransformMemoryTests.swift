import Foundation
import TestSupport
import Testing

@Suite(.blocking, .skipped(under: .address, because: "starts a program for minutes"))
struct TransformMemoryTests {
    @Test func `memory does not grow over 10,000 transforms`() throws {
        // The address sanitizer retains freed memory, by default a quarter of a gigabyte.
        let (text, _) = try ChildProcess.output(
            of: try ChildProcess.path(ofProduct: "TransformProbe"),
            ["10000"],
            environment: ["ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=1"]
        )
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t").compactMap { Int($0) } }
        try #require(lines.count == 2 && lines.allSatisfy { $0.count == 2 }, "\(text)")
        // A thread of libvips may not have freed its last bytes yet.
        #expect(lines[1][0] - lines[0][0] < 10_000, "bytes that libvips holds: \(text)")
        #expect(lines[1][1] - lines[0][1] < 8_000, "kilobytes of resident memory: \(text)")
    }
}
