import CCodecs

extension HEICDecoder {
    /// Sets what the memory of pictures holds before they are decoded, in this thread from now on: each value
    /// stands for another pattern; 0 unless set.
    ///
    /// No pixel depends on it, so what differs under two values was never written.
    package static func fillMemory(_ value: UInt8) {
        cc_heif_set_filling(value)
    }
}
