import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// The checks of a file without its metadata.
enum StrippingCheck {
    static func run(_ input: Data) {
        let codecs = CodecRegistry.standard
        guard let stripped = strip(input) else { return }
        precondition(strip(stripped) == stripped, "a file without metadata stays as it is")
        precondition(stripped.count <= input.count + 1000, "a file without metadata is no larger")
        let exif = codecs.exif(of: stripped)
        precondition(exif?.location == nil && exif?.cameraMake == nil, "no metadata is left")
        guard let image = decode(input) else { return }
        let stored = codecs.exif(of: input)?.orientation ?? .up
        precondition(image.metadata.orientation == stored, "both readings have one orientation")
        // libjpeg-turbo passes over invalid codes where many bytes follow, also behind the end, else not.
        guard let again = decode(stripped) ?? decode(stripped + Data(count: 8_192)) else {
            preconditionFailure("what decodes still does")
        }
        precondition(image.size == again.size, "the size stays")
        precondition(image.firstPixels == again.firstPixels, "the pixels stay")
        precondition(image.metadata.hasColorProfile == again.metadata.hasColorProfile, "the profile stays")
        precondition(image.metadata.isFileTruncated == again.metadata.isFileTruncated, "so does the end")
        precondition(image.animation?.frameCount == again.animation?.frameCount, "the frames stay")
        precondition(image.animation?.loopCount == again.animation?.loopCount, "the loops stay")
        precondition(image.animation?.duration == again.animation?.duration, "the duration stays")
    }

    private static func strip(_ file: Data) -> Data? {
        do throws(DecodeError) {
            return try CodecRegistry.standard.strippingMetadata(from: file)
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
            return nil
        }
    }

    private static func decode(_ file: Data) -> Image? {
        do throws(DecodeError) {
            return try CodecRegistry.standard.decode(file, options: DecoderCheck.whole)
        } catch {
            return nil
        }
    }
}
