import Calotype
import CalotypeCodecs
import CalotypeCore
import Foundation

struct LoadReport: BatchReport {
    /// The address as typed, without user and password.
    var address: String
    var source: LoadedImage.Source?
    /// The size of the result in pixels, upright.
    var size: PixelSize?
    var format: ImageFormat?
    /// The bytes of the encoded result; those of the original if the result is an image.
    var byteCount: Int?
    var frameCount: Int?
    var elapsed = Duration.zero
    /// The reason why there is no image, or why it could not be written.
    var error: String?
    /// The path of the file that was written.
    var path: String?
    /// Whether the file existed and was skipped.
    var isSkipped = false
    /// The error of the disk cache; the load continued without it.
    var storeFailure: LoadError?
    var status = CommandExitCode.success

    static let table = Table(columns: [
        .init("SOURCE", "source", width: 7),
        .init("WIDTH", "width", width: 5, alignsRight: true),
        .init("HEIGHT", "height", width: 6, alignsRight: true),
        .init("FORMAT", "format", width: 6),
        .init("BYTES", "bytes", width: 8, alignsRight: true),
        .init("TIME", "elapsedMs", width: 10, alignsRight: true),
        .init("URL", "url", width: 0),
    ])

    /// The columns if files are written.
    static let tableWithFiles = Table(
        columns: table.columns.dropLast() + [
            .init("FILE", "path", width: 24), .init("URL", "url", width: 0),
        ]
    )

    var labels: [String] {
        if error != nil { return [source?.rawValue, "failed"].compactMap(\.self) }
        return isSkipped && source == nil ? ["skipped"] : [source?.rawValue].compactMap(\.self)
    }

    var record: Record {
        Record([
            ("url", .text(address)),
            ("source", source.map { .text($0.rawValue) }),
            ("width", (size?.width).map { .count($0) }),
            ("height", (size?.height).map { .count($0) }),
            ("format", format.map { .text($0.rawValue) }),
            ("bytes", byteCount.map { .bytes($0) }),
            ("frames", frameCount.map { .count($0) }),
            ("elapsedMs", .milliseconds(elapsed.milliseconds)),
        ]).adding("path", path.map { .text($0) }).adding("skipped", isSkipped ? .flag(true) : nil)
            .withError(error)
    }
}

extension LoadReport {
    mutating func describe(_ content: LoadContent) {
        switch content {
        case .image(let loaded):
            source = loaded.source
            size = loaded.image.size
            format = loaded.image.format
            byteCount = loaded.image.metadata.encodedByteCount
            frameCount = loaded.image.animation?.frameCount ?? 1
        case .encoded(let encoded):
            source = encoded.source
            describe(encoded.data, encoded.info)
        }
    }

    mutating func describe(_ data: Data, _ info: ImageInfo) {
        size = info.displaySize
        format = info.format
        byteCount = data.count
        frameCount = info.frameCount
    }

    mutating func fail(_ error: any Error, of source: BatchSource) {
        self.error = ErrorText.describe(error, of: source.address, shownAs: address)
        status = ErrorText.status(for: error)
    }
}

extension Duration {
    /// The duration in milliseconds, for people and JSON.
    var milliseconds: Double {
        self / .milliseconds(1)
    }
}
