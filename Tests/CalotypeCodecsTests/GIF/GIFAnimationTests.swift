import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@testable import CalotypeCodecs

@Suite(.blocking, .inBothModes) struct GIFAnimationTests {
    private func letters(_ frames: [GIFFile.Frame]) throws -> [String] {
        let file = GIFFile(width: 3, height: 1, frames: frames)
        return try GIFDecoder().tested.decode(file.data, options: DecodeOptions()).allFrames().map(\.letters)
    }

    private func animation(_ file: GIFFile) throws -> Animation {
        try #require(try GIFDecoder().tested.decode(file.data, options: DecodeOptions()).animation)
    }

    // MARK: - Disposal

    @Test(arguments: [0, 1, 5, 6, 7])
    func `a frame stays by default`(disposal: Int) throws {
        let frames: [GIFFile.Frame] = [
            .filled(1, width: 3, height: 1, disposal: disposal),
            .filled(2, left: 1, width: 1, height: 1, disposal: disposal),
            .filled(3, left: 2, width: 1, height: 1, disposal: disposal),
        ]
        #expect(try letters(frames) == ["rrr", "rgr", "rgb"])
    }

    @Test func `disposal to the background clears the frame and nothing beside it`() throws {
        let frames: [GIFFile.Frame] = [
            .filled(1, width: 3, height: 1),
            .filled(2, left: 1, width: 1, height: 1, disposal: 2, transparentIndex: 0),
            .filled(3, left: 2, width: 1, height: 1, disposal: 2, transparentIndex: 0),
            .filled(2, left: 0, width: 1, height: 1),
        ]
        #expect(try letters(frames) == ["rrr", "rgr", "r.b", "g.."])
    }

    @Test func `a frame without a transparent colour is cleared to the background colour`() throws {
        let frames: [GIFFile.Frame] = [
            .filled(1, width: 3, height: 1),
            .filled(2, left: 1, width: 1, height: 1, disposal: 2),
            .filled(3, left: 2, width: 1, height: 1),
        ]
        var file = GIFFile(width: 3, height: 1, background: 3, frames: frames)
        #expect(try animation(file).decodeFrame(at: 2).letters == "rbb")
        #expect(try animation(file).decodeFrame(at: 2).pixelFormat == .rgb8)
        // An index outside of the table is ignored.
        file.background = 4
        #expect(try animation(file).decodeFrame(at: 2).letters == "r.b")
    }

    @Test func `a visible background colour prevents gray output`() throws {
        var file = GIFFile(
            width: 2,
            height: 1,
            background: 1,
            frames: [.filled(0, width: 2, height: 1, disposal: 2), .filled(1, width: 1, height: 1)]
        )
        for index in 0..<2 { file.frames[index].palette = [.black, .white] }
        #expect(try animation(file).decodeFrame(at: 1).letters == "wr")
    }

    @Test(arguments: [3, 4])
    func `disposal to previous restores the earlier canvas`(disposal: Int) throws {
        let frames: [GIFFile.Frame] = [
            .filled(1, width: 2, height: 1),
            .filled(2, left: 1, width: 2, height: 1, disposal: disposal),
            .filled(3, left: 0, width: 2, height: 1, disposal: disposal),
            .filled(2, left: 2, width: 1, height: 1),
        ]
        #expect(try letters(frames) == ["rr.", "rgg", "bb.", "rrg"])
    }

    @Test func `disposal to previous of the first frame clears the canvas`() throws {
        let frames: [GIFFile.Frame] = [
            .filled(1, width: 3, height: 1, disposal: 3), .filled(2, left: 1, width: 1, height: 1),
        ]
        #expect(try letters(frames) == ["rrr", ".g."])
    }

    @Test func `each frame may have its own colours and its own transparent colour`() throws {
        var second = GIFFile.Frame(width: 3, height: 1, indexes: [0, 1, 1], transparentIndex: 1)
        second.palette = [GIFFile.blue, .white]
        let third = GIFFile.Frame(width: 3, height: 1, indexes: [0, 3, 2], transparentIndex: 3)
        #expect(try letters([.filled(1, width: 3, height: 1), second, third]) == ["rrr", "brr", "krg"])
    }

    // MARK: - Times

    @Test(arguments: ["NETSCAPE2.0", "ANIMEXTS1.0"])
    func `an animation plays once and then as often as stated`(name: String) throws {
        let frames = [GIFFile.Frame.filled(1, width: 1, height: 1), .filled(2, width: 1, height: 1)]
        for (stated, expected) in [
            (0, LoopCount.infinite), (1, .times(2)), (7, .times(8)), (65535, .times(65536)),
        ] {
            let file = GIFFile(width: 1, height: 1, loopCount: stated, loopName: name, frames: frames)
            #expect(try animation(file).loopCount == expected)
            #expect(try GIFDecoder().tested.info(of: file.data, limits: DecodeLimits()).loopCount == expected)
        }
    }

    @Test func `an animation without a loop count plays once, and a still does not play`() throws {
        var file = GIFFile(
            width: 1,
            height: 1,
            loopCount: 5,
            loopName: "NETSCAPE9.9",
            frames: [.filled(1, width: 1, height: 1), .filled(2, width: 1, height: 1)]
        )
        #expect(try animation(file).loopCount == .times(1))
        file.frames.removeLast()
        let info = try GIFDecoder().tested.info(of: file.data, limits: DecodeLimits())
        #expect(info.frameCount == 1 && info.loopCount == nil && info.animationDuration == nil)
    }

    @Test func `durations below 11 ms become 100 ms`() throws {
        var file = GIFFile(width: 1, height: 1, frames: [])
        for delay in [0, 1, 2, 50, 65535] {
            file.frames.append(.filled(1, width: 1, height: 1))
            file.frames[file.frames.count - 1].delay = delay
        }
        let animation = try animation(file)
        let expected = [100, 100, 20, 500, 655_350].map { Duration.milliseconds($0) }
        #expect((0..<5).map { animation.duration(ofFrameAt: $0) } == expected)
        let info = try GIFDecoder().tested.info(of: file.data, limits: DecodeLimits())
        #expect(info.animationDuration == expected.reduce(.zero, +) && info.frameCount == 5)
    }

    // MARK: - Order

    /// Random frames of every kind: partly outside, transparent, with all disposals.
    static func mixture(seed: UInt64) -> GIFFile {
        var random = SeededGenerator(seed: seed)
        let frames = (0..<24).map { _ in
            let covers = Int.random(in: 0..<4, using: &random) == 0
            let width = covers ? 9 : Int.random(in: 1...9, using: &random)
            let height = covers ? 7 : Int.random(in: 1...7, using: &random)
            return GIFFile.Frame(
                left: covers ? 0 : Int.random(in: 0...9, using: &random),
                top: covers ? 0 : Int.random(in: 0...7, using: &random),
                width: width,
                height: height,
                indexes: (0..<width * height).map { _ in UInt8.random(in: 0...3, using: &random) },
                isInterlaced: Bool.random(using: &random),
                disposal: Int.random(in: 0...3, using: &random),
                transparentIndex: Bool.random(using: &random) ? Int.random(in: 0...3, using: &random) : nil
            )
        }
        return GIFFile(width: 9, height: 7, frames: frames)
    }

    /// The canvases by the letter of the standard, with the whole canvas saved before each frame.
    static func canvases(_ file: GIFFile) -> [[RGBColor?]] {
        let colors = file.palette ?? []
        // The first frame may exceed the screen.
        let first = file.frames[0]
        let size = PixelSize(
            width: max(file.width, first.left + first.width),
            height: max(file.height, first.top + first.height)
        )
        var canvas = [RGBColor?](repeating: nil, count: size.pixelCount)
        return file.frames.map { frame in
            let before = canvas
            var drawn: [Int] = []
            for (position, index) in frame.indexes.enumerated() {
                let x = frame.left + position % frame.width
                let y = frame.top + position / frame.width
                guard x < size.width, y < size.height else { continue }
                drawn.append(y * size.width + x)
                if Int(index) != frame.transparentIndex { canvas[y * size.width + x] = colors[Int(index)] }
            }
            let shown = canvas
            let left = frame.transparentIndex == nil ? colors[file.background] : nil
            if frame.disposal == 2 { for position in drawn { canvas[position] = left } }
            if frame.disposal == 3 { canvas = before }
            return shown
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `every frame matches a simple reading of the standard`(seed: UInt64) throws {
        let file = Self.mixture(seed: seed)
        let image = try GIFDecoder().tested.decode(file.data, options: DecodeOptions())
        for (frame, canvas) in zip(try image.allFrames(), Self.canvases(file)) {
            let bytes = canvas.flatMap { color -> [UInt8] in
                color.map { [$0.red, $0.green, $0.blue, 255] } ?? [0, 0, 0, 0]
            }
            #expect([UInt8](frame.rgba8()) == bytes)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `frames decoded in any order equal frames decoded in order`(seed: UInt64) throws {
        let file = Self.mixture(seed: seed)
        let decode = { try GIFDecoder().tested.decode(file.data, options: DecodeOptions()) }
        let inOrder = try decode().allFrames()
        var random = SeededGenerator(seed: seed)
        for index in (0..<inOrder.count).shuffled(using: &random) {
            let animation = try #require(try decode().animation)
            #expect(try animation.decodeFrame(at: index).bytes == inOrder[index].bytes)
            #expect(try animation.decodeFrame(at: index / 2).bytes == inOrder[index / 2].bytes)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `decoding from any key frame gives the same canvases`(seed: UInt64) throws {
        let data = Self.mixture(seed: seed).data
        var scanner = GIFScanner(limits: DecodeLimits())
        try scanner.scan(data.span)
        let layout = scanner.layout
        let canvas = try GIFCanvas(layout, bytes: try EncodedBytes(data))
        let inOrder = try layout.frames.indices.map { try bytes(canvas.readFrame(at: $0)) }
        let keyFrames = layout.schedule.keyFrames
        #expect(keyFrames.first == 0)
        for keyFrame in keyFrames.reversed() {
            try canvas.move(toKeyFrame: keyFrame)
            for index in keyFrame..<min(keyFrame + 6, inOrder.count) {
                #expect(try bytes(canvas.readFrame(at: index)) == inOrder[index], "\(keyFrame), \(index)")
            }
        }
    }

    private func bytes(_ raster: Raster) -> [UInt8] { raster.pixels.withUnsafeBytes { [UInt8]($0) } }

    @Test func `frames that cover the canvas and those after a cleared one are key frames`() throws {
        let file = GIFFile(
            width: 2,
            height: 1,
            frames: [
                .filled(1, width: 2, height: 1), .filled(2, width: 1, height: 1),
                .filled(3, width: 2, height: 1), .filled(1, width: 2, height: 1, transparentIndex: 0),
                .filled(1, width: 2, height: 1, disposal: 3),
                .filled(1, width: 2, height: 1, disposal: 2, transparentIndex: 0),
                .filled(2, width: 1, height: 1, disposal: 2, transparentIndex: 0),
                .filled(2, width: 1, height: 1), .filled(2, width: 1, height: 1),
            ]
        )
        var scanner = GIFScanner(limits: DecodeLimits())
        try scanner.scan(file.data.span)
        #expect(scanner.layout.schedule.keyFrames == [0, 2, 6, 7])
    }

    @Test func `a frame shown twice is decoded once`() throws {
        let animation = try animation(Self.mixture(seed: 3))
        let first = try (0..<animation.frameCount).map { try animation.decodeFrame(at: $0) }
        let second = try (0..<animation.frameCount).map { try animation.decodeFrame(at: $0) }
        #expect(zip(first, second).allSatisfy { $0 === $1 })
    }

    @Test func `a damaged later frame fails alone`() throws {
        var file = GIFFile(
            width: 2,
            height: 1,
            frames: [.filled(1, width: 2, height: 1), .filled(2, width: 2, height: 1)]
        )
        file.frames[1].indexes.removeLast()
        let animation = try animation(file)
        #expect(try animation.decodeFrame(at: 0).letters == "rr")
        #expect(decodeError { try animation.decodeFrame(at: 1) }?.code == .truncated)
        #expect(try animation.decodeFrame(at: 0).letters == "rr")
    }
}
