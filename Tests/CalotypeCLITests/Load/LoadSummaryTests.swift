import Calotype
import Testing

@testable import CalotypeCLI

@Suite struct LoadSummaryTests {
    private func report(_ source: LoadedImage.Source?, error: String? = nil) -> LoadReport {
        var report = LoadReport(address: "a")
        report.source = source
        report.error = error
        return report
    }

    @Test func `it says what came from where, in the order of the layers`() {
        var summary = LoadSummary()
        for source in [LoadedImage.Source.network, .disk, .memory, .network] { summary.add(report(source)) }
        summary.add(report(nil, error: "code: text"))
        #expect(
            summary.text(receivedByteCount: 3_000_000, elapsed: .milliseconds(1500))
                == "5 loads: 1 memory, 1 disk, 2 network, 1 failed; 3.0 MB in 1500.0 ms, 2.0 MB/s"
        )
    }

    @Test func `without a transfer there is no rate`() {
        var summary = LoadSummary()
        summary.add(report(.disk))
        #expect(summary.text(receivedByteCount: 0, elapsed: .milliseconds(2)) == "1 load: 1 disk; 2.000 ms")
    }
}
