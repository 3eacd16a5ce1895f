internal import CalotypeCore
internal import CalotypeLoading

/// The source of a slot's images: a pipeline, or in tests a script of events.
struct SlotSource: Sendable {
    /// Returns the image for a request, if it is in memory.
    let residentImage: @Sendable (ImageRequest) -> Image?

    /// Returns the events of a load; the priority may change while it runs.
    let events: @Sendable (ImageRequest, LivePriority) -> any AsyncSequence<ImageEvent, any Error> & Sendable
}

extension SlotSource {
    init(_ pipeline: ImagePipeline, previews: Bool) {
        residentImage = { pipeline.residentImage(for: $0) }
        events = { pipeline.events(for: $0, priority: $1, previews: previews) }
    }
}
