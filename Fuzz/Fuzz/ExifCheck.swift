import CalotypeCore
import FoundationEssentials

@testable import CalotypeCodecs

/// The checks of a block of Exif, also as a part of files, and of files without their metadata.
enum ExifCheck {
    static func run(_ input: Data) {
        let fields = ExifFields(input)
        if let exif = Exif(block: input) {
            precondition(exif.orientation == fields.orientation, "both readings have one orientation")
            precondition(exif.exposureTime.map { $0 > 0 && $0.isFinite } ?? true, "a time is positive")
            let texts = [exif.cameraMake, exif.cameraModel, exif.lensMake, exif.lensModel, exif.software]
            for text in texts.compactMap(\.self) {
                precondition((1...Exif.maxTextByteCount).contains(text.utf8.count), "a text is bounded")
            }
        }
        _ = CodecRegistry.standard.exif(of: input)
        strip(input)
        let prefix = Data("Exif\0\0".utf8)
        let byteCount = min(input.count, 60_000) + prefix.count + 2
        let segment = Data([0xFF, 0xE1, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)]) + prefix
        let scan = Data([0xFF, 0xDA, 0, 2, 0xFF, 0xD9])
        strip(Data([0xFF, 0xD8]) + segment + input.prefix(60_000) + scan)
    }

    /// A second removal finds nothing.
    private static func strip(_ file: Data) {
        do throws(DecodeError) {
            let stripped = try CodecRegistry.standard.strippingMetadata(from: file)
            let again = try CodecRegistry.standard.strippingMetadata(from: stripped)
            precondition(again == stripped, "a file without metadata stays as it is")
            precondition(CodecRegistry.standard.exif(of: stripped)?.location == nil, "no position is left")
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
        }
    }
}
