import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation

/// Writes inputs to start from, one folder a target: `FuzzSeeds FOLDER`.
@main enum Main {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: FuzzSeeds FOLDER")
            exit(2)
        }
        let root = URL(filePath: CommandLine.arguments[1])
        for (target, inputs) in try seeds() {
            let folder = root.appending(path: target)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (index, input) in inputs.enumerated() {
                try input.write(to: folder.appending(path: "seed-\(index)"))
            }
        }
    }

    private static func seeds() throws -> [(target: String, inputs: [Data])] {
        let entry = EntryRecord(
            key: "https://example.org/a.png",
            metadata: Data("opaque".utf8),
            writtenAt: Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000),
            expiry: .afterWrite(.seconds(60)),
            payload: (byteCount: 5, hash: 0)
        )
        let exif: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
        let images = try imageSeeds()
        return images + [
            ("sniffing", images.flatMap(\.inputs).map { $0.prefix(64) }),
            ("exif", [Data(exif), Data(exif.prefix(10))]),
            ("entry", [Data("12345".utf8) + entry.encoded()]),
            ("settings", [Data(DiskSettings(sizeLimit: 1000, countLimit: 10, expiry: .never).text.utf8)]),
            ("entryName", [Data("0123456789abcdef0123456789abcdef.jpg".utf8)]),
            ("inlineURL", [Data("image/png;base64,aGVsbG8=".utf8), Data(",a%20b".utf8)]),
        ]
    }

    /// Small pictures of each kind, through each encoder.
    private static func imageSeeds() throws -> [(target: String, inputs: [Data])] {
        let size = PixelSize(width: 24, height: 17)
        let images = PixelFormat.allCases.map { TestPictures.photograph(size, format: $0) }
        let encoders: [(String, [any ImageEncoder])] = [
            ("jpeg", [JPEGEncoder(), JPEGEncoder(isProgressive: true, chromaSubsampling: .yuv420)]),
            ("png", [PNGEncoder(), PNGEncoder(isInterlaced: true)]),
        ]
        return try encoders.map { target, encoders in
            (target, try encoders.flatMap { encoder in try images.map { try encoder.encode($0) } })
        }
    }
}
