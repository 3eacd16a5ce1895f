import CalotypeCore

/// The parsed blocks of a GIF file, without decoded pixels.
struct GIFLayout: Hashable {
    var size = PixelSize(width: 0, height: 0)
    var frames: [GIFFrame] = []
    /// The count in the application extension: 0 means forever; `nil` without one.
    var loopCountStated: Int?
    /// The background colour, if the global colour table contains it.
    var background: RGBColor?
    /// True if the colour tables used by frames contain only grays.
    var isGray = true
    /// True if more frames will arrive.
    var isPart = false

    /// The total number of plays, as for the other formats; once if nothing is stated.
    ///
    /// The file states the number of repetitions (decision 0115).
    var loopCount: LoopCount {
        guard !isPart, let loopCountStated else { return .times(1) }
        return loopCountStated == 0 ? .infinite : .times(loopCountStated + 1)
    }

    /// The whole canvas.
    var bounds: GIFRect { GIFRect(left: 0, top: 0, width: size.width, height: size.height) }

    /// Returns the colour left by a frame that is disposed of to the background; `nil` for transparent.
    ///
    /// A frame with a transparent colour leaves transparency. One without leaves the background colour, as in
    /// most libraries; browsers clear the canvas in that case too.
    func colorLeft(by frame: GIFFrame) -> RGBColor? {
        frame.transparentIndex == nil ? background : nil
    }

    /// True if a frame has a transparent colour, or the first does not cover the whole canvas.
    var hasAlpha: Bool {
        frames.contains { $0.transparentIndex != nil } || frames.first?.rect.contains(bounds) == false
    }
}

extension GIFLayout {
    /// Properties of the canvases that are known without decoding.
    struct Coverage {
        /// True if every canvas is completely covered.
        var isOpaque = true
        /// The frames before which the canvas is empty, or that cover it completely.
        var keyFrames: [Int] = []
    }

    /// Computes the coverage from the frames' rectangles and disposals.
    ///
    /// The possibly uncovered area is tracked as one rectangle, a safe approximation.
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

    /// The smallest format that can hold each canvas.
    var pixelFormat: PixelFormat {
        guard coverage.isOpaque else { return .rgba8 }
        let leavesColor = frames.contains { $0.disposal == .background && colorLeft(by: $0)?.isGray == false }
        return isGray && !leavesColor ? .gray8 : .rgb8
    }

    /// The properties of the animation known before a frame is decoded.
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
