import CCodecs
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// Readers write rows of exactly the length and number of the buffer, or none: a shorter row would leave
/// earlier memory contents.
@Suite(.blocking) struct RowLayoutTests {
    private static let picture = TestImages.photograph(PixelSize(width: 24, height: 16))

    /// Widths and heights of buffers; the first is that of the image.
    static let buffers = [
        PixelSize(width: 24, height: 16), PixelSize(width: 23, height: 16), PixelSize(width: 25, height: 16),
        PixelSize(width: 32, height: 16), PixelSize(width: 24, height: 15), PixelSize(width: 24, height: 17),
    ]

    private func expectExact(
        _ buffer: PixelSize,
        _ file: Data,
        _ read: (cc_bytes, cc_rows, UnsafeMutablePointer<cc_message>) -> cc_status
    ) {
        var (room, message) = ([UInt8](repeating: 7, count: 32 * 32 * 8), cc_message())
        let status = room.withUnsafeMutableBufferPointer { room in
            file.withUnsafeBytes { bytes in
                let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                let rows = cc_rows(
                    bytes: room.baseAddress,
                    row_byte_count: buffer.width * 3,
                    row_count: UInt32(buffer.height)
                )
                return read(cc_bytes(start: start, count: bytes.count), rows, &message)
            }
        }
        #expect(status == (buffer == Self.buffers[0] ? .ok : .failure))
        if status != .ok { #expect(room.allSatisfy { $0 == 7 }) }
    }

    @Test(arguments: buffers, [cc_png_path.either, .libpng])
    func `a PNG is written within the bounds of its rows`(buffer: PixelSize, path: cc_png_path) throws {
        expectExact(buffer, try PNGEncoder().encode(Self.picture)) { bytes, rows, message in
            var (reader, header) = (OpaquePointer?.none, cc_png_header())
            #expect(cc_png_open(bytes, 0, &reader, &header, message) == .ok)
            defer { cc_png_close(reader) }
            var decoding = cc_png_decoding(path: path, adds_alpha: 0, color: nil)
            return cc_png_decode(reader, &decoding, rows, message)
        }
    }

    @Test(arguments: buffers, [false, true])
    func `a JPEG is written within the bounds of its rows`(buffer: PixelSize, isProgressive: Bool) throws {
        let file = try JPEGEncoder(isProgressive: isProgressive).encode(Self.picture)
        expectExact(buffer, file) { bytes, rows, message in
            var (reader, header) = (OpaquePointer?.none, cc_jpeg_header())
            #expect(cc_jpeg_open(bytes, &reader, &header, message) == .ok)
            defer { cc_jpeg_close(reader) }
            var decoding = cc_jpeg_decoding(
                eighths: 8,
                scan_pixel_max: 1 << 20,
                coefficient_byte_max: 1 << 20,
                color: nil
            )
            return cc_jpeg_decode(reader, &decoding, rows, message)
        }
    }

    @Test(arguments: buffers)
    func `an AVIF is written within the bounds of its rows`(buffer: PixelSize) throws {
        expectExact(buffer, try AVIFEncoder().encode(Self.picture)) { bytes, rows, message in
            var (reader, header) = (OpaquePointer?.none, cc_avif_header())
            var limits = cc_avif_limits(pixel_count_max: 1 << 20, frame_count_max: 1)
            #expect(cc_avif_open(bytes, &limits, &reader, &header, message) == .ok)
            defer { cc_avif_close(reader) }
            return cc_avif_decode(reader, 0, 0, nil, rows, message)
        }
    }

    @Test(arguments: buffers)
    func `a TIFF is written within the bounds of its rows`(buffer: PixelSize) throws {
        expectExact(buffer, try TIFFEncoder().encode(Self.picture)) { bytes, rows, message in
            var (reader, header) = (OpaquePointer?.none, cc_tiff_header())
            #expect(cc_tiff_open(bytes, 0, &reader, &header, message) == .ok)
            defer { cc_tiff_close(reader) }
            return cc_tiff_decode(reader, 0, nil, rows, message)
        }
    }

    @Test(arguments: buffers)
    func `an image of libvips is written within the bounds of its rows`(buffer: PixelSize) throws {
        let pixels = Self.picture.pixels.withUnsafeBytes { Data($0) }
        expectExact(buffer, pixels) { bytes, rows, message in
            var source = cc_pixels()
            (source.bytes, source.width, source.height) = (bytes.start, 24, 16)
            source.bytes_per_pixel = 3
            var picture: OpaquePointer?
            #expect(cc_vips_open(&source, &picture, message) == .ok)
            defer { cc_vips_release(picture) }
            return cc_vips_read(picture, rows, message)
        }
    }

    @Test func `pixels not written by a decoder are zero`() {
        for byteCount in [1, 1000, 1 << 16, 1 << 20, 5 << 20] {
            for _ in 0..<3 {
                let used = PixelBuffer(byteCount: byteCount) { bytes in
                    #expect(bytes.allSatisfy { $0 == 0 })
                    _ = bytes.initializeMemory(as: UInt8.self, repeating: 0xAB)
                }
                #expect(used.byteCount == byteCount)
            }
        }
    }
}
