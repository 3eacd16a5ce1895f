import CCodecs

extension HEICDecoder {
    /// Sets the initial content of image memory for later decodes on this thread: each value selects another
    /// pattern; 0 by default.
    ///
    /// Pixels that differ under two values were never written.
    package static func fillMemory(_ value: UInt8) {
        cc_heif_set_filling(value)
    }
}
