extension ImageSlot {
    /// Creates an empty slot that loads through ``ImagePipeline/shared``.
    public convenience init() {
        self.init(ImagePipeline.shared)
    }
}

extension ImageSlots {
    /// Creates a collection whose slots load through ``ImagePipeline/shared``.
    public convenience init() {
        self.init(ImagePipeline.shared)
    }
}
