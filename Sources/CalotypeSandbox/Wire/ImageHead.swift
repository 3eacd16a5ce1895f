import CalotypeCore
import FoundationEssentials

/// The properties of an image without its pixels.
struct ImageHead: Wired {
    var size: PixelSize
    var pixelFormat: PixelFormat
    var scale = 1.0
    var format: ImageFormat?
    var metadata = ImageMetadata()
    /// The size of the ICC profile in bytes; 0 without one.
    var profileByteCount = 0
    /// The sizes of the Exif, XMP and IPTC to encode, which follow the profile in the payload; 0 for none.
    ///
    /// A response has none.
    var exifByteCount = 0
    var xmpByteCount = 0
    var iptcByteCount = 0
    var rowCount = 0
    var animation: AnimationHead?
    /// The offset of the pixels in shared memory; `nil` if they come through the pipe.
    var pixelOffset: Int?

    /// The valid lengths of a side.
    private static let sides = 1...1 << 31
    private static let blockByteCounts = 0...MetadataBlocks.maxByteCount

    init(_ image: Image) {
        (size, pixelFormat) = (image.size, image.pixelFormat)
        // A scale set by a caller may be one that the worker would reject.
        scale = image.scale.isFinite && image.scale > 0 ? image.scale : 1
        (format, metadata) = (image.format, image.metadata)
    }

    init(from reader: inout WireReader) throws(WireError) {
        size = try reader.read()
        pixelFormat = try reader.read()
        scale = try reader.read()
        format = try reader.read()
        metadata = ImageMetadata(
            orientation: try reader.read(),
            isOrientationApplied: try reader.read(),
            hasColorProfile: try reader.read(),
            isPartial: try reader.read(),
            isFileTruncated: try reader.read(),
            colorSpace: try reader.read(),
            copyright: try reader.read(Copyright?.self),
            light: try reader.read()
        )
        profileByteCount = try reader.read(in: 0...Int.max, "a number of bytes")
        exifByteCount = try reader.read(in: Self.blockByteCounts, "a number of bytes")
        xmpByteCount = try reader.read(in: Self.blockByteCounts, "a number of bytes")
        iptcByteCount = try reader.read(in: Self.blockByteCounts, "a number of bytes")
        rowCount = try reader.read(in: 0...max(0, size.height), "a number of rows")
        animation = try reader.read()
        pixelOffset = try reader.read(Int?.self)
        let isSize = !size.isEmpty && size.pixelCount <= Int.max / 8
        guard isSize, Self.sides.contains(size.width), Self.sides.contains(size.height) else {
            throw WireError("invalid image size")
        }
        guard scale.isFinite, scale > 0 else { throw WireError("invalid scale") }
    }

    func write(to writer: inout WireWriter) {
        writer.write(size)
        writer.write(pixelFormat)
        writer.write(scale)
        writer.write(format)
        writer.write(metadata.orientation)
        writer.write(metadata.isOrientationApplied)
        writer.write(metadata.hasColorProfile)
        writer.write(metadata.isPartial)
        writer.write(metadata.isFileTruncated)
        writer.write(metadata.colorSpace)
        writer.write(metadata.copyright)
        writer.write(metadata.light)
        writer.write(profileByteCount)
        for count in [exifByteCount, xmpByteCount, iptcByteCount] { writer.write(count) }
        writer.write(rowCount)
        writer.write(animation)
        writer.write(pixelOffset)
    }

    var blocksByteCount: Int { exifByteCount + xmpByteCount + iptcByteCount }

    /// Sets the sizes of the blocks; returns false, without setting them, if there are none or they are too
    /// large.
    mutating func setBlocks(_ blocks: MetadataBlocks) -> Bool {
        let counts = [blocks.exif.count, blocks.xmp.count, blocks.iptc.count]
        guard !blocks.isEmpty, counts.allSatisfy(Self.blockByteCounts.contains) else { return false }
        (exifByteCount, xmpByteCount, iptcByteCount) = (counts[0], counts[1], counts[2])
        return true
    }

    var byteCount: Int { size.pixelCount * pixelFormat.bytesPerPixel }
}

extension ImageHead: Codable {
    /// Decodes the form that responses have.
    init(from decoder: any Decoder) throws {
        let message = try decoder.singleValueContainer().decode(Data.self)
        try self.init(message: [UInt8](message))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(message))
    }
}
