public import CalotypeCore

/// What stands in an ``ImageSlot``: nothing, a placeholder, or what has become of a load.
public enum SlotContent: Sendable {
    /// Nothing.
    case empty
    /// A picture that stands for the one that is loading.
    case placeholder(Image)
    /// What can be shown of the image so far; another preview or the result follows.
    case preview(Image)
    /// The result of the load.
    case result(LoadedImage)
    /// Why there is no result: a ``LoadError``, or `CancellationError` where the pipeline was shut down; with
    /// the placeholder, if one was given.
    case failure(any Error, placeholder: Image?)

    /// What is to be drawn; `nil` draws nothing.
    public var image: Image? {
        switch self {
        case .empty: nil
        case .placeholder(let image), .preview(let image): image
        case .result(let loaded): loaded.image
        case .failure(_, let placeholder): placeholder
        }
    }
}

/// What stands in an ``ImageSlot`` while it loads.
public enum SlotPlaceholder: Sendable {
    /// Nothing: the slot is emptied when a load begins.
    case none
    /// A picture, from the beginning of the load; also after it has failed.
    case image(Image)
    /// What stood there before, until the load ends; this picture after it has failed.
    case onFailure(Image)

    /// What the slot gets when a load begins; `nil` leaves it as it is.
    var contentAtStart: SlotContent? {
        switch self {
        case .none: .empty
        case .image(let image): .placeholder(image)
        case .onFailure: nil
        }
    }

    /// What the slot gets where there is nothing to load.
    var contentWithoutRequest: SlotContent {
        switch self {
        case .none: .empty
        case .image(let image), .onFailure(let image): .placeholder(image)
        }
    }

    /// What the slot gets when a load has failed.
    func content(after error: any Error) -> SlotContent {
        switch self {
        case .none: .failure(error, placeholder: nil)
        case .image(let image), .onFailure(let image): .failure(error, placeholder: image)
        }
    }
}
