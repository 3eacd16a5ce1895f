import CalotypeCore

/// What the blocks of a GIF file tell; no pixel has been decoded for it.
struct GIFLayout: Hashable {
    /// Width and height of the canvas.
    var size = PixelSize(width: 0, height: 0)
    var frames: [GIFFrame] = []
    /// What the application extension states: 0 for ever; `nil` where there is none.
    var loopCountStated: Int?
    /// The background colour, where there is a global colour table that has it.
    var background: RGBColor?
    /// Whether the colour tables that frames use hold grays only.
    var isGray = true
    /// Whether more frames are to come.
    var isPart = false

    /// How often the animation plays in all, as for the other formats; once where nothing is stated.
    ///
    /// What is stated is how often it plays again (decision 0115).
    var loopCount: LoopCount {
        guard !isPart, let loopCountStated else { return .times(1) }
        return loopCountStated == 0 ? .infinite : .times(loopCountStated + 1)
    }

    /// The whole canvas.
    var bounds: GIFRect { GIFRect(left: 0, top: 0, width: size.width, height: size.height) }

    /// What is left of a frame that is disposed of to the background; `nil` for nothing: transparent.
    ///
    /// A frame with a transparent colour leaves nothing. One without leaves the background colour, as in most
    /// libraries; browsers clear the canvas there too.
    func colorLeft(by frame: GIFFrame) -> RGBColor? {
        frame.transparentIndex == nil ? background : nil
    }

    /// Whether a frame has a transparent colour, or the first leaves a part of the canvas free.
    var hasAlpha: Bool {
        frames.contains { $0.transparentIndex != nil } || frames.first?.rect.contains(bounds) == false
    }
}

extension GIFLayout {
    /// What can be told of the canvases without decoding them.
    struct Coverage {
        /// Whether each canvas is drawn over everywhere.
        var isOpaque = true
        /// The frames before which nothing is on the canvas, or nothing of it stays.
        var keyFrames: [Int] = []
    }

    /// Follows the rectangles of the frames and what becomes of them.
    ///
    /// The part of the canvas that may be free is kept as one rectangle, which is on the safe side.
    var coverage: Coverage {
        var coverage = Coverage()
        var free = bounds
        var isBlank = true
        for (index, frame) in frames.enumerated() {
            let rect = frame.rect.intersection(bounds)
            let coversAll = frame.transparentIndex == nil && rect == bounds
            if isBlank || (coversAll && frame.disposal != .previous) { coverage.keyFrames.append(index) }
            let shown = frame.transparentIndex == nil ? free.subtracting(rect) : free
            if !shown.isEmpty { coverage.isOpaque = false }
            switch frame.disposal {
            case .previous:
                break
            case .background where colorLeft(by: frame) == nil:
                free = shown.union(rect)
                isBlank = isBlank || rect == bounds
            case .background, .unspecified, .keep:
                free = shown
                isBlank = isBlank && rect.isEmpty
            }
        }
        return coverage
    }

    /// The smallest format that holds each canvas.
    var pixelFormat: PixelFormat {
        guard coverage.isOpaque else { return .rgba8 }
        let leavesColor = frames.contains { $0.disposal == .background && colorLeft(by: $0)?.isGray == false }
        return isGray && !leavesColor ? .gray8 : .rgb8
    }

    /// What is known of the animation before a frame is decoded.
    var schedule: FrameSchedule {
        FrameSchedule(
            durations: frames.map(\.duration),
            loopCount: loopCount,
            keyFrames: coverage.keyFrames
        )
    }
}

extension RGBColor {
    fileprivate var isGray: Bool { red == green && red == blue }
}
