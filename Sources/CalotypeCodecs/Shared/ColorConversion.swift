import CCodecs
import FoundationEssentials

/// A conversion from the colours of an embedded profile to sRGB; empty if there is no profile or no need.
///
/// The last transforms are cached: files with the same profile share them.
@safe struct ColorConversion: ~Copyable {
    /// Owned; `nil` if the pixels stay unchanged.
    let transform: OpaquePointer?

    /// Creates a transform, copying the profile's bytes.
    ///
    /// A profile that is damaged or for other channels is ignored, as in browsers.
    init(profile: cc_bytes, channels: cc_channels, isWanted: Bool) {
        unsafe transform = isWanted ? cc_color_open(profile, channels) : nil
    }

    /// Creates a transform for red, green and blue, with or without alpha.
    init(_ profile: Data?, hasAlpha: Bool, isWanted: Bool) {
        let profile = profile ?? Data()
        unsafe transform = profile.bytes.withUnsafeBytes { bytes in
            unsafe isWanted ? cc_color_open(cc_bytes(bytes), hasAlpha ? .rgba : .rgb) : nil
        }
    }

    /// Creates a transform for colours given by code points of ITU-T H.273.
    init(primaries: UInt32, transfer: UInt32, channels: cc_channels, isWanted: Bool) {
        unsafe transform = isWanted ? cc_color_open_coded(primaries, transfer, channels) : nil
    }

    deinit {
        unsafe cc_color_close(transform)
    }
}
