import CalotypeCore
import CalotypeSupport

/// The linear light of each bit pattern of a channel, since each pixel is read for several rows of a result.
enum DeepLight {
    private static let ofIntegers = table { $0.fraction }
    private static let ofHalves = table { Float16(bitPattern: $0).fraction }

    static func table<Channel: DeepChannel>(for channel: Channel.Type) -> [Float] {
        Channel.self == UInt16.self ? ofIntegers : ofHalves
    }

    private static func table(_ fraction: (UInt16) -> Float) -> [Float] {
        (0...UInt16.max).map { fraction($0).linearLight }
    }
}

extension Float {
    /// The linear light of an sRGB level; beyond 0...1 the curve is extended as far as possible.
    var linearLight: Float {
        self <= 0.04045 ? self / 12.92 : powf((self + 0.055) / 1.055, 2.4)
    }

    var sRGBLevel: Float {
        self <= 0.0031308 ? self * 12.92 : 1.055 * powf(self, 1 / 2.4) - 0.055
    }
}
