import CalotypeCodecs
import CalotypeCore

struct ConversionReport: BatchReport {
    /// The address as typed, without user and password.
    let address: String
    let index: Int
    /// The index of the first image that is the same file and has the same output; else ``index``.
    let original: Int
    var path: String?
    /// Whether the result existed and was skipped.
    var isSkipped = false
    var info: ImageInfo?
    var byteCount: Int?
    var elapsed = Duration.zero
    var error: String?

    init(address: String, index: Int = 0, original: Int? = nil) {
        (self.address, self.index, self.original) = (address, index, original ?? index)
    }

    /// Returns this report with the result of the same file under another spelling of its path.
    func with(resultOf other: ConversionReport) -> ConversionReport {
        var report = self
        (report.path, report.isSkipped, report.info) = (other.path, other.isSkipped, other.info)
        (report.byteCount, report.error) = (other.byteCount, other.error)
        return report
    }

    var status: CommandExitCode { error == nil ? .success : .failure }

    var labels: [String] {
        original != index ? [] : [error != nil ? "failed" : isSkipped ? "skipped" : "written"]
    }

    static let table = Table(columns: [
        .init("WIDTH", "width", width: 5, alignsRight: true),
        .init("HEIGHT", "height", width: 6, alignsRight: true),
        .init("FORMAT", "format", width: 6),
        .init("BYTES", "bytes", width: 8, alignsRight: true),
        .init("TIME", "elapsedMs", width: 10, alignsRight: true),
        .init("FILE", "path", width: 0),
    ])

    var record: Record {
        Record([
            ("url", .text(address)),
            ("width", (info?.displaySize.width).map { .count($0) }),
            ("height", (info?.displaySize.height).map { .count($0) }),
            ("format", info.map { .text($0.format.rawValue) }),
            ("bytes", byteCount.map { .bytes($0) }),
            ("frames", info.map { .count($0.frameCount) }),
            ("elapsedMs", .milliseconds(elapsed.milliseconds)),
        ]).adding("path", path.map { .text($0) }).adding("skipped", isSkipped ? .flag(true) : nil)
            .withError(error)
    }
}
