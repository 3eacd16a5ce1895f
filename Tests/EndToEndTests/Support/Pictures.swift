import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import Foundation

enum Pictures {
    static func jpeg(seed: UInt64 = 1) throws -> Data {
        try jpeg(PixelSize(width: 120, height: 80), seed: seed)
    }

    static func jpeg(_ size: PixelSize, seed: UInt64) throws -> Data {
        try JPEGEncoder(quality: 88).encode(TestImages.photograph(size, seed: seed))
    }

    static func png(seed: UInt64 = 1) throws -> Data {
        try PNGEncoder().encode(TestImages.photograph(PixelSize(width: 64, height: 48), seed: seed))
    }
}
