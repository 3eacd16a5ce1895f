import CCodecs
import FoundationEssentials

/// A way from the colours of an embedded profile to sRGB; nothing where there is no profile or no need.
///
/// The last ones are kept: files of one profile share what was made for it.
@safe struct ColorTransform: ~Copyable {
    /// Owned; `nil` where the pixels are to stay as they are.
    let transform: OpaquePointer?

    /// Makes a transform; the profile's bytes are copied.
    ///
    /// A profile that is damaged or for other channels is left out of account, as browsers do.
    init(profile: cc_bytes, channels: cc_channels, isWanted: Bool) {
        unsafe transform = isWanted ? cc_color_open(profile, channels) : nil
    }

    /// Makes a transform for red, green and blue, with alpha or without.
    init(_ profile: Data?, hasAlpha: Bool, isWanted: Bool) {
        let profile = profile ?? Data()
        unsafe transform = profile.bytes.withUnsafeBytes { bytes in
            unsafe isWanted ? cc_color_open(cc_bytes(bytes), hasAlpha ? .rgba : .rgb) : nil
        }
    }

    /// Makes a transform for colours that are named by code points of ITU-T H.273.
    init(primaries: UInt32, transfer: UInt32, channels: cc_channels, isWanted: Bool) {
        unsafe transform = isWanted ? cc_color_open_coded(primaries, transfer, channels) : nil
    }

    deinit {
        unsafe cc_color_close(transform)
    }
}
