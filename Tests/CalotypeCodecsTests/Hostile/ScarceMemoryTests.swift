import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing

/// Work in a process with little memory.
@Suite(
    .blocking,
    .serialized,
    .skipped(under: .address, because: "has little address space, of which the sanitizer maps terabytes")
) struct ScarceMemoryTests {
    /// A file, and memory limits too low for one allocation of its decode.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let byteCounts: [Int]
        /// The purpose of the failing allocation.
        let missing: String
        let data: @Sendable () throws -> Data

        var testDescription: String { name }
    }

    private static let size = PixelSize(width: 5_000, height: 4_000)
    /// In addition to the libraries' own allocations before there are pixels.
    private static let byteCounts = [20_000_000, 40_000_000]

    private static var picture: Image {
        get throws {
            let pixels = PixelBuffer(byteCount: size.pixelCount * 3) { bytes in
                _ = bytes.initializeMemory(as: UInt8.self, repeating: 128)
            }
            return Image(size: size, pixelFormat: .rgb8, pixels: pixels)
        }
    }

    private static func encoded(_ name: String, by encoder: any ImageEncoder) -> Case {
        Case(name: name, byteCounts: byteCounts, missing: "60000000 bytes of pixels") {
            try encoder.encode(picture)
        }
    }

    static let cases = [
        encoded("JPEG", by: JPEGEncoder()),
        encoded("progressive JPEG", by: JPEGEncoder(isProgressive: true)),
        encoded("PNG", by: PNGEncoder()),
        encoded("interlaced PNG", by: PNGEncoder(isInterlaced: true)),
        encoded("WebP", by: WebPEncoder()),
        encoded("TIFF", by: TIFFEncoder()),
        Case(name: "BMP", byteCounts: [64_000_000, 280_000_000], missing: "300000000 bytes of pixels") {
            HostileBitmap.full(side: 10_000)
        },
        // The first frame, the canvas, and the area covered by the second.
        Case(
            name: "GIF that takes a frame back",
            byteCounts: [20_000_000, 100_000_000, 150_000_000],
            missing: "64000000 bytes of pixels",
            data: takenBack
        ),
        Case(
            name: "file of an animation",
            byteCounts: [20_000_000],
            missing: "bytes of the file",
            data: { longAnimation }
        ),
        Case(
            name: "TIFF with a second page",
            byteCounts: [20_000_000],
            missing: "bytes of the file",
            data: { secondPage }
        ),
    ]

    @Test(arguments: cases) func `a decode without enough memory reports it`(_ item: Case) throws {
        let data = try item.data()
        for byteCount in item.byteCounts {
            let report = try ProbeReport(of: data, memory: byteCount)
            #expect(report.decode == "outOfMemory", "\(byteCount): \(report)")
            #expect(report.detail.contains(item.missing), "\(byteCount): \(report)")
            #expect(report.detail.contains("give the process more"), "\(byteCount): \(report)")
        }
    }

    @Test func `encoding a BMP without enough memory reports it`() throws {
        let file = try PNGEncoder().encode(Self.picture)
        let report = try ProbeReport(of: file, memory: 20_000_000, isEncoding: true)
        #expect(report.decode == "outOfMemory", "\(report)")
        #expect(report.detail.contains("60000054 bytes"), "\(report)")
    }

    /// A second frame as large as the canvas with disposal to previous, of which only one pixel is present.
    @Sendable private static func takenBack() -> Data {
        let frame = GIFFile.Frame(width: 4_000, height: 4_000, indexes: [0], disposal: 3)
        let first = GIFFile.Frame.filled(0, width: 1, height: 1)
        return GIFFile(width: 4_000, height: 4_000, frames: [first, frame]).data
    }

    /// 40 MB, nearly all of which is a comment.
    private static var longAnimation: Data {
        let frame = GIFFile.Frame.filled(0, width: 1, height: 1)
        var file = GIFFile(width: 1, height: 1, frames: [frame, frame])
        file.extensions = Data([0x21, 0xFE]) + Data(repeating: 255, count: 256 * 160_000) + Data([0])
        return file.data
    }

    /// 40 MB, nearly all of which is not pixels.
    private static var secondPage: Data {
        var file = TIFFFile(width: 1, strips: [[UInt8](repeating: 1, count: 40_000_000)])
        file.nextDirectory = 8
        return file.data
    }
}
