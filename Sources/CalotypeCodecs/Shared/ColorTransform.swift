import CCodecs

/// A way from the colours of an embedded profile to sRGB; nothing where there is no profile or no need.
@safe struct ColorTransform: ~Copyable {
    /// Owned; `nil` where the pixels are to stay as they are.
    let transform: OpaquePointer?

    /// Makes a transform; the profile's bytes are copied.
    ///
    /// A profile that is damaged or for other channels is left out of account, as browsers do.
    init(profile: cc_bytes, channels: cc_channels, isWanted: Bool) {
        unsafe transform = isWanted ? cc_color_open(profile, channels) : nil
    }

    deinit {
        unsafe cc_color_close(transform)
    }
}
