import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct BatchSummaryTests {
    private let empty = BatchSummary("load", "loads", labels: ["memory", "disk", "network"])

    @Test func `the line counts the images by label, in the order of the labels`() {
        var summary = empty
        for label in ["network", "disk", "memory", "network", "failed", "skipped"] { summary.add([label]) }
        #expect(
            summary.text(readByteCount: 3_000_000, elapsed: .milliseconds(1500))
                == "6 loads: 1 memory, 1 disk, 2 network, 1 skipped, 1 failed; 3.0 MB in 1500.0 ms, 2.0 MB/s"
        )
    }

    @Test func `the line omits the rate when nothing was transferred`() {
        var summary = empty
        summary.add(["disk"])
        #expect(summary.text(readByteCount: 0, elapsed: .milliseconds(2)) == "1 load: 1 disk; 2.000 ms")
    }
}
