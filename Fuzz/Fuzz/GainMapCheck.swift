import CalotypeCore
import CalotypeTesting
import FoundationEssentials

@testable import CalotypeCodecs

/// The checks of gain maps: files with an index of pictures, and parameters written and read again.
enum GainMapCheck {
    private static let size = PixelSize(width: 32, height: 24)
    private static let mapSize = PixelSize(width: 8, height: 6)
    private static let base = encoded(TestImages.photograph(size))
    private static let map = encoded(TestImages.asymmetric(mapSize, format: .gray8))
    private static let kept: DecodeOptions = {
        var options = DecoderCheck.whole
        options.keepsGainMap = true
        return options
    }()

    private static func encoded(_ image: Image) -> Data {
        do {
            return try JPEGEncoder().encode(image)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    // MARK: Files

    /// Checks that a map does not affect the image of its file, and that it is not left without metadata.
    static func checkFile(_ input: Data) {
        if let found = GainMapFile(in: input) {
            precondition(found.data.count < input.count, "a map is a part of its file")
            precondition(found.data.starts(with: [0xFF, 0xD8]), "a map is a JPEG")
            checkParameters(found.parameters)
            checkJoined(found.data, found.parameters)
        }
        let (image, plain) = (decode(input, kept), decode(input, DecoderCheck.whole))
        precondition((image == nil) == (plain == nil), "a map does not make a file invalid")
        precondition(image?.firstPixels == plain?.firstPixels, "a map does not change the image")
        if let image, let map = image.metadata.gainMap {
            let isInside = map.image.width <= image.width && map.image.height <= image.height
            precondition(isInside && (0...1).contains(map.scale), "a map is not larger than its image")
            checkParameters(map.parameters)
        }
        do throws(DecodeError) {
            let stripped = try CodecRegistry.standard.strippingMetadata(from: input)
            precondition(GainMapFile(in: stripped) == nil, "no map is left without metadata")
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
        }
    }

    // MARK: Parameters

    /// Checks parameters whose XMP or whose payload of ISO 21496-1 is the input.
    static func checkParameters(of input: Data) {
        let input = input.prefix(60_000)
        let xmp = jpegSegment(0xE1, Data("http://ns.adobe.com/xap/1.0/\0".utf8) + input)
        let standard = jpegSegment(0xE2, GainMapFile.standardIdentifier + input)
        for head in [xmp, standard, xmp + standard] {
            let file = map.prefix(2) + head + map.dropFirst(2)
            guard let parameters = GainMapParameters(ofFile: file) else { continue }
            checkParameters(parameters)
            let joined = checkJoined(map, parameters)
            let image = decode(joined, kept)
            precondition(image?.firstPixels == decode(base, kept)?.firstPixels, "the image does not change")
            precondition(image?.metadata.gainMap?.parameters == parameters, "the parameters do not change")
            let pixels = decode(map, DecoderCheck.whole)?.rgba8()
            precondition(image?.metadata.gainMap?.image.rgba8() == pixels, "the map does not change")
            precondition(image?.metadata.gainMap?.scale == 0.25, "the scale of the map is that of its side")
            precondition(MetadataBlocks(of: joined, format: .jpeg) == nil, "a result does not describe a map")
        }
    }

    private static func checkParameters(_ parameters: GainMapParameters) {
        precondition(!parameters.values.isEmpty || !parameters.standard.isEmpty, "a map has parameters")
        let byteCount = parameters.standard.count
        precondition(byteCount == 0 || (6...256).contains(byteCount), "the payload is bounded")
        precondition(parameters.values.isEmpty || parameters.values["GainMapMax"] != nil, "it has a maximum")
        for numbers in parameters.values.values {
            precondition([1, 3].contains(numbers.count), "one number, or one for each channel")
            precondition(numbers.allSatisfy { abs($0) <= 100 }, "the numbers are plausible")
        }
        precondition(parameters.properties.utf8.count <= 16_384, "a description can be read again")
    }

    /// Checks that splitting a joined file returns the map and its parameters.
    @discardableResult
    private static func checkJoined(_ map: Data, _ parameters: GainMapParameters) -> Data {
        guard let joined = GainMapFile.joined(base, map: map, parameters) else {
            preconditionFailure("two JPEG can be joined")
        }
        guard let split = GainMapFile(in: joined) else { preconditionFailure("a joined file has a map") }
        precondition(split.parameters == parameters, "the parameters do not change")
        precondition(split.data.suffix(map.count - 2) == map.dropFirst(2), "the map does not change")
        precondition(joined.count == joinedCount(split.data, parameters), "a joined file has two images")
        return joined
    }

    /// The sum of both images, the index of 90 bytes and the descriptions.
    private static func joinedCount(_ map: Data, _ parameters: GainMapParameters) -> Int {
        let xmp = "http://ns.adobe.com/xap/1.0/\0" + GainMapParameters.directory(mapByteCount: map.count)
        let version = parameters.standard.isEmpty ? 0 : 4 + GainMapFile.standardIdentifier.count + 4
        return base.count + map.count + 90 + 4 + xmp.utf8.count + version
    }

    private static func decode(_ file: Data, _ options: DecodeOptions) -> Image? {
        do throws(DecodeError) {
            return try CodecRegistry.standard.decode(file, options: options)
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
            return nil
        }
    }
}
