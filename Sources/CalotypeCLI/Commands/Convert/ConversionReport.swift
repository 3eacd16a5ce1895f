import CalotypeCodecs
import CalotypeCore

/// The result of one conversion.
struct ConversionReport: BatchReport {
    let address: String
    /// The path of the result.
    var path: String?
    /// Whether the result existed and was left as it was.
    var isSkipped = false
    /// The header of the result.
    var info: ImageInfo?
    var byteCount: Int?
    var elapsed = Duration.zero
    var error: String?

    init(address: String) {
        self.address = address
    }

    var status: ProgramStatus { error == nil ? .success : .failure }

    var labels: [String] { [error != nil ? "failed" : isSkipped ? "skipped" : "written"] }

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
            ("input", .text(SafeText.withoutCredentials(address))),
            ("path", path.map { .text($0) }),
            ("width", (info?.displaySize.width).map { .count($0) }),
            ("height", (info?.displaySize.height).map { .count($0) }),
            ("format", info.map { .text($0.format.rawValue) }),
            ("bytes", byteCount.map { .bytes($0) }),
            ("frames", info.map { .count($0.frameCount) }),
            ("elapsedMs", .milliseconds(elapsed.milliseconds)),
        ]).adding("skipped", isSkipped ? .flag(true) : nil).withError(error)
    }
}
