import Calotype
import CalotypeTesting
import Foundation
import TestMaterial

/// Input of the rows: photographs if the folder of photographs is present, else generated pictures.
enum SamplePictures {
    /// A photograph by the beginning of its name, or what `make` makes.
    static func photograph(_ name: String, or make: () throws -> Data) throws -> Data {
        let file = SharedCorpus.photographs.first { $0.lastPathComponent.hasPrefix(name) }
        return try file.map { try Data(contentsOf: $0) } ?? make()
    }

    /// 12 megapixels, 4:2:2.
    static func largeJPEG() throws -> Data {
        try photograph("p02_") {
            try JPEGEncoder(quality: 93, chromaSubsampling: .yuv422).encode(drawn(4288, 2848))
        }
    }

    /// 6 megapixels, 4:2:0.
    static func mediumJPEG() throws -> Data {
        try photograph("p08_") { try JPEGEncoder(quality: 85).encode(drawn(2725, 2225)) }
    }

    static func progressiveJPEG() throws -> Data {
        try photograph("d01_") { try JPEGEncoder(quality: 85, isProgressive: true).encode(drawn(2725, 2225)) }
    }

    /// 3 megapixels, RGB.
    static func png() throws -> Data {
        try photograph("n01_") { try PNGEncoder().encode(drawn(1412, 2077)) }
    }

    static func translucentPNG() throws -> Data {
        try photograph("n03_") { try PNGEncoder().encode(drawn(2048, 1536, .rgba8)) }
    }

    /// 10 megapixels.
    static func webP() throws -> Data {
        try photograph("w01_") { try WebPEncoder(effort: 0).encode(drawn(3648, 2736)) }
    }

    static func losslessWebP() throws -> Data {
        try photograph("w02_") { try WebPEncoder(isLossless: true, effort: 1).encode(drawn(1200, 900)) }
    }

    /// A photograph of a width, for encoders.
    static func image(width: Int) throws -> Image {
        let options = DecodeOptions(target: .fit(PixelBox(width: width)))
        return try CodecRegistry.standard.decode(mediumJPEG(), options: options)
    }

    private static func drawn(_ width: Int, _ height: Int, _ format: PixelFormat = .rgb8) -> Image {
        TestImages.photograph(PixelSize(width: width, height: height), format: format)
    }
}
