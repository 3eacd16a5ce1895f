import CBaselines
import Calotype
import Foundation

/// A picture that a C library has decoded.
final class BaselinePicture {
    private var picture: cb_picture

    init(_ picture: cb_picture) {
        self.picture = picture
    }

    /// Decodes a file to a format.
    ///
    /// - Throws: ``Skipped`` where the library refuses.
    init(_ file: Data, as format: PixelFormat, by decoder: cb_decoder) throws {
        picture = cb_picture()
        picture.bytes_per_pixel = UInt32(format.bytesPerPixel)
        let isDone = file.withUnsafeBytes { bytes in
            decoder(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &picture)
        }
        guard isDone == 1 else { throw Skipped("the baseline does not decode the picture") }
    }

    deinit {
        cb_picture_free(&picture)
    }

    var size: PixelSize { PixelSize(width: Int(picture.width), height: Int(picture.height)) }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: picture.bytes,
            count: size.pixelCount * Int(picture.bytes_per_pixel)
        )
    }

    /// How far the pixels are off those of another picture of the same size and format, in levels, on the
    /// average over all samples.
    func meanDifference(from image: Image) throws -> Double {
        try image.pixels.withUnsafeBytes { try differenceInLevels(bytes, $0) }
    }

    func meanDifference(from other: BaselinePicture) throws -> Double {
        try differenceInLevels(bytes, other.bytes)
    }

}

extension Image {
    /// How far the pixels are off those of another image, as that of a baseline's picture.
    func meanDifference(from other: Image) throws -> Double {
        try pixels.withUnsafeBytes { left in
            try other.pixels.withUnsafeBytes { try differenceInLevels(left, $0) }
        }
    }

    /// The pixels as the C side takes them.
    func withBaselinePicture<Result>(_ body: (UnsafePointer<cb_picture>) throws -> Result) rethrows -> Result
    {
        try pixels.withUnsafeBytes { bytes in
            var picture = cb_picture(
                bytes: UnsafeMutablePointer(
                    mutating: bytes.bindMemory(to: UInt8.self).baseAddress
                ),
                width: UInt32(size.width),
                height: UInt32(size.height),
                bytes_per_pixel: UInt32(pixelFormat.bytesPerPixel)
            )
            return try body(&picture)
        }
    }
}

private func differenceInLevels(
    _ left: UnsafeRawBufferPointer,
    _ right: UnsafeRawBufferPointer
) throws -> Double {
    guard left.count == right.count else { throw Skipped("the two sides give other sizes or formats") }
    let sum = zip(left, right).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(left.count)
}
