import CCodecs
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation
import TestSupport
import Testing
import WorkerSupport

/// Thumbnails of images with sides not divisible by eight: the last column of a 1/8 decode extends beyond
/// the edge.
@Suite(.blocking, .inBothModes) struct JPEGThumbnailTests {
    /// All remainders of both sides by eight, with targets decoded at 1/8, 1/4 and 1/2.
    static let sizes = (0..<56).map { index in
        (
            stored: PixelSize(width: 577 + index, height: 433 - index * 3),
            width: [23, 34, 35, 50, 70, 71, 120, 139][index / 7]
        )
    }

    @Test func `a scaled decode is nearer to the resampled image than the one of libvips`() throws {
        for (stored, width) in Self.sizes {
            let photograph = TestImages.photograph(stored, seed: UInt64(width))
            let file = try JPEGEncoder(chromaSubsampling: .yuv444).tested.encode(photograph)
            let small = try JPEGDecoder().tested.decode(file, options: options(width))
            let full = try JPEGDecoder().tested.decode(file, options: DecodeOptions())
            let reference = try Resampler.resize(full, to: small.size, light: .encoded)
            let own = small.rms(to: reference)
            let other = try VipsThumbnail.image(of: file, size: small.size).rms(to: reference)
            #expect(own < other, "\(stored) to \(small.size): \(own), libvips \(other)")
        }
    }

    @Test(arguments: [false, true])
    func `an edge keeps its position in a scaled decode`(isProgressive: Bool) throws {
        for (stored, width) in Self.sizes {
            for share in [0.3, 0.8] {
                let edge = Int(Double(stored.width) * share)
                let picture = Self.halves(stored, edge: edge)
                let file = try JPEGEncoder(quality: 100, isProgressive: isProgressive).tested.encode(picture)
                for small in [
                    try JPEGDecoder().tested.decode(file, options: options(width)),
                    try decodePiecewise(file, .random, options(width)),
                ] {
                    let row = small.bytes.prefix(small.size.width)
                    let place = row.reduce(0.0) { $0 + Double(255 - $1) / 255 }
                    let expected = Double(edge) * Double(small.size.width) / Double(stored.width)
                    #expect(abs(place - expected) < 0.05, "\(stored) to \(small.size): \(place - expected)")
                }
            }
        }
    }

    private func options(_ width: Int) -> DecodeOptions {
        // A position is the sum of levels, and libvips mixes levels.
        DecodeOptions(target: .fit(PixelBox(width: width)), light: .encoded)
    }

    /// Black to the left of `edge`, white from `edge` on.
    private static func halves(_ size: PixelSize, edge: Int) -> Image {
        let pixels = PixelBuffer(byteCount: size.pixelCount) { bytes in
            for index in bytes.indices { bytes[index] = index % size.width < edge ? 0 : 255 }
        }
        return Image(size: size, pixelFormat: .gray8, pixels: pixels)
    }
}

extension Image {
    /// The root mean square difference in levels.
    fileprivate func rms(to other: Image) -> Double {
        let squares = zip(bytes, other.bytes).reduce(0.0) { sum, levels in
            let difference = Double(levels.0) - Double(levels.1)
            return sum + difference * difference
        }
        return (squares / Double(bytes.count)).squareRoot()
    }
}

/// The result of `vips_thumbnail` for a file.
private enum VipsThumbnail {
    struct Failure: Error {}

    static func image(of file: Data, size: PixelSize) throws -> Image {
        let path = FileManager.default.temporaryDirectory.appending(path: "thumbnail-\(UUID().uuidString)")
        try file.write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        let operation = try #require(cc_vips_begin("thumbnail"))
        cc_vips_set_text(operation, "filename", path.path)
        cc_vips_set_integer(operation, "width", Int32(size.width))
        cc_vips_set_integer(operation, "height", Int32(size.height))
        cc_vips_set_text(operation, "size", "force")
        var result: OpaquePointer?
        var message = cc_message()
        guard cc_vips_apply(operation, &result, &message) == .ok, let result else { throw Failure() }
        defer { cc_vips_release(result) }
        var status = cc_status.ok
        let pixels = PixelBuffer(byteCount: size.pixelCount * 3) { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let rows = cc_rows(bytes: start, row_byte_count: size.width * 3, row_count: UInt32(size.height))
            status = cc_vips_read(result, rows, &message)
        }
        guard status == .ok else { throw Failure() }
        return Image(size: size, pixelFormat: .rgb8, pixels: pixels)
    }
}
