public import CalotypeCore

/// The content of an ``ImageSlot``: nothing, a placeholder, or the outcome of a load.
public enum SlotContent: Sendable {
    /// Nothing.
    case empty
    /// An image that is shown during the load.
    case placeholder(Image)
    /// The image so far; another preview or the result follows.
    case preview(Image)
    /// The result of the load.
    case result(LoadedImage)
    /// The error: a ``LoadError``, or `CancellationError` if the pipeline was shut down; with the
    /// placeholder, if one was given.
    case failure(any Error, placeholder: Image?)

    /// The image to draw; `nil` draws nothing.
    public var image: Image? {
        switch self {
        case .empty: nil
        case .placeholder(let image), .preview(let image): image
        case .result(let loaded): loaded.image
        case .failure(_, let placeholder): placeholder
        }
    }
}

/// The content of an ``ImageSlot`` during a load.
public enum SlotPlaceholder: Sendable {
    /// Nothing: the slot is emptied when a load begins.
    case none
    /// An image, from the start of the load; also after a failure.
    case image(Image)
    /// The previous content until the load ends; this image after a failure.
    case onFailure(Image)

    /// The content when a load begins; `nil` to leave it unchanged.
    var contentAtStart: SlotContent? {
        switch self {
        case .none: .empty
        case .image(let image): .placeholder(image)
        case .onFailure: nil
        }
    }

    var contentWithoutRequest: SlotContent {
        switch self {
        case .none: .empty
        case .image(let image), .onFailure(let image): .placeholder(image)
        }
    }

    func content(after error: any Error) -> SlotContent {
        switch self {
        case .none: .failure(error, placeholder: nil)
        case .image(let image), .onFailure(let image): .failure(error, placeholder: image)
        }
    }
}
