import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes) struct GIFIncrementalTests {
    private func makeDecoder(
        _ options: DecodeOptions = DecodeOptions(),
        of codecs: CodecRegistry = .tested
    ) throws -> any IncrementalDecoder {
        try #require(codecs.makeIncrementalDecoder(forHead: Data("GIF89a".utf8), options: options))
    }

    private func append(_ data: Data, inChunksOf sizes: () -> Int, to decoder: any IncrementalDecoder) throws
    {
        var rest = data[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(max(1, sizes()))
            try decoder.append(chunk)
            rest = rest.dropFirst(chunk.count)
        }
    }

    private func expectSame(_ image: Image, _ other: Image) throws {
        #expect(image.size == other.size && image.pixelFormat == other.pixelFormat)
        #expect(image.scale == other.scale && image.format == other.format)
        #expect(image.animation?.loopCount == other.animation?.loopCount)
        #expect(image.animation?.duration == other.animation?.duration)
        let (frames, others) = (try image.allFrames(), try other.allFrames())
        #expect(frames.count == others.count)
        #expect(zip(frames, others).allSatisfy { $0.bytes == $1.bytes })
    }

    @Test(arguments: GIFHostileTests.files)
    func `chunks of any size give the same image as the whole file`(name: String, data: Data) throws {
        var random = SeededGenerator(seed: 9)
        let options = [
            DecodeOptions(), DecodeOptions(target: .fit(PixelBox(width: 7)), scale: 2),
            DecodeOptions(target: .fitBytes(900)), DecodeOptions(frames: .first),
        ]
        for options in options {
            let whole = try GIFDecoder().tested.decode(data, options: options)
            let sizes: [() -> Int] = [
                { 1 }, { Int.random(in: 1...40, using: &random) }, { data.count },
            ]
            for size in sizes {
                let decoder = try makeDecoder(options)
                try append(data, inChunksOf: size, to: decoder)
                try expectSame(try decoder.finish(), whole)
            }
        }
    }

    /// Three different frames, and the number of bytes at the end of each.
    private func threeFrames() -> (file: Data, ends: [Int]) {
        let frames = [
            GIFFile.Frame.filled(1, width: 2, height: 1), .filled(2, left: 1, width: 1, height: 1),
            .filled(1, left: 1, width: 1, height: 1),
        ]
        let ends = (1...3).map {
            GIFFile(width: 2, height: 1, frames: Array(frames.prefix($0))).data.count - 1
        }
        return (GIFFile(width: 2, height: 1, frames: frames).data, ends)
    }

    @Test func `the first frame is a preview once complete, the others come at the end`() throws {
        let (file, ends) = threeFrames()
        let decoder = try makeDecoder()
        for (count, byte) in file.enumerated() {
            try decoder.append(Data([byte]))
            guard let preview = try decoder.preview() else {
                #expect(count + 1 != ends[0])
                continue
            }
            #expect(count + 1 >= ends[0] && preview.image.letters == "rr" && preview.rowCount == 1)
        }
        #expect(try decoder.finish().allFrames().map(\.letters) == ["rr", "rg", "rr"])
    }

    /// In process only: a worker previews only the first frame of an arriving animation.
    @Test func `complete frames are previewed as a growing animation`() throws {
        let (file, ends) = threeFrames()
        let decoder = try makeDecoder(of: .standard)
        for (count, byte) in file.enumerated() {
            try decoder.append(Data([byte]))
            let preview = try decoder.preview()
            #expect((preview != nil) == ends.contains(count + 1))
            guard let preview, let shown = ends.firstIndex(of: count + 1) else { continue }
            #expect(
                try preview.image.allFrames().map(\.letters) == Array(["rr", "rg", "rr"].prefix(shown + 1))
            )
            #expect(preview.rowCount == 1)
            // Its last frame stays until more arrive.
            #expect(preview.image.animation?.loopCount == (shown == 0 ? nil : .times(1)))
        }
        #expect(try decoder.finish().allFrames().map(\.letters) == ["rr", "rg", "rr"])
    }

    @Test func `a request for the first frame alone previews no other`() throws {
        let frame = GIFFile.Frame.filled(1, width: 2, height: 1)
        let decoder = try makeDecoder(DecodeOptions(frames: .first))
        try decoder.append(GIFFile(width: 2, height: 1, frames: [frame, frame]).data)
        #expect(try decoder.preview()?.image.animation == nil)
        #expect(try decoder.preview() == nil)
    }

    @Test func `a preview has the size of the target`() throws {
        let data = GIFFile(width: 40, height: 20, frames: [.filled(1, width: 40, height: 20)]).data
        let decoder = try makeDecoder(DecodeOptions(target: .fit(PixelBox(width: 10))))
        try decoder.append(data.dropLast())
        let preview = try #require(try decoder.preview())
        #expect(preview.image.size == PixelSize(width: 10, height: 5) && preview.rowCount == 5)
    }

    @Test func `a target that depends on the frame count has no previews`() throws {
        let data = GIFFile(width: 40, height: 20, frames: [.filled(1, width: 40, height: 20)]).data
        let decoder = try makeDecoder(DecodeOptions(target: .fitBytes(400)))
        try decoder.append(data)
        #expect(try decoder.preview() == nil)
        #expect(try decoder.finish().size == PixelSize(width: 14, height: 7))
    }

    @Test func `a damaged first frame fails in the preview and in the result`() throws {
        var file = GIFFile(width: 2, height: 2, frames: [.filled(1, width: 2, height: 2)])
        file.frames[0].indexes.removeLast()
        let decoder = try makeDecoder()
        try decoder.append(file.data)
        #expect(decodeError { try decoder.preview() }?.code == .truncated)
        #expect(decodeError { try decoder.finish() }?.code == .truncated)
    }

    @Test func `a failed preview does not affect the next one`() throws {
        var file = GIFFile(width: 2, height: 2, frames: [.filled(1, width: 2, height: 2)])
        file.frames[0].indexes.removeLast()
        let end = file.data.count - 1
        file.frames.append(.filled(2, width: 2, height: 2))
        let decoder = try makeDecoder()
        try decoder.append(file.data.prefix(end))
        #expect(decodeError { try decoder.preview() }?.code == .truncated)
        try decoder.append(file.data.dropFirst(end))
        #expect(decodeError { try decoder.preview() }?.code == .truncated)
    }

    @Test func `an incomplete file is truncated, and zero bytes are empty`() throws {
        let data = GIFHostileTests.files[0].data
        for count in [1, 12, 13, 500, data.count / 2, data.count - 2] {
            let decoder = try makeDecoder()
            try decoder.append(data.prefix(count))
            #expect(decodeError { try decoder.finish() }?.code == .truncated)
        }
        #expect(decodeError { try makeDecoder().finish() }?.code == .empty)
    }

    @Test func `a failed append fails all later calls`() throws {
        let frame = GIFFile.Frame.filled(1, width: 1, height: 1)
        let data = GIFFile(width: 1, height: 1, frames: [frame]).data
        let decoder = try makeDecoder()
        #expect(decodeError { try decoder.judge(data.dropLast() + Data([0x77])) }?.code == .corrupt)
        #expect(decodeError { try decoder.judge(Data([0x3B])) }?.code == .corrupt)
        #expect(decodeError { try decoder.preview() }?.code == .corrupt)
        #expect(decodeError { try decoder.finish() }?.code == .corrupt)
    }

    @Test func `limits and damage stop an append`() throws {
        let limits = DecodeLimits(maxPixelCount: 50, maxFrameCount: 2, maxByteCount: 120)
        func appendCode(_ data: Data) throws -> DecodeError.Code? {
            let decoder = try makeDecoder(DecodeOptions(limits: limits))
            return decodeError { for byte in data { try decoder.judge(Data([byte])) } }?.code
        }
        let frame = GIFFile.Frame.filled(1, width: 1, height: 1)
        #expect(try appendCode(GIFFile(width: 51, height: 1, frames: []).data) == .limitExceeded)
        #expect(try appendCode(GIFFile(width: 5, height: 1, frames: [frame, frame]).data) == nil)
        #expect(
            try appendCode(GIFFile(width: 5, height: 1, frames: [frame, frame, frame]).data) == .limitExceeded
        )
        var long = GIFFile(width: 5, height: 1, frames: [frame])
        long.extensions = Data([0x21, 0xFE, 200]) + Data(count: 200)
        #expect(try appendCode(long.data) == .limitExceeded)
    }

    /// In process only: unrecognised data is not sent to workers.
    @Test func `data that is not a GIF fails an append`() throws {
        let decoder = try makeDecoder(of: .standard)
        #expect(decodeError { try decoder.append(Data("GIF, or not so".utf8)) } != nil)
    }

    /// If each append parsed all bytes again, ten times the bytes would take a hundred times as long.
    @Test func `many single-byte appends take little time`() throws {
        var file = GIFFile(width: 1, height: 1, frames: [.filled(1, width: 1, height: 1)])
        let comment = Data([0x21, 0xFE]) + Data([255] + [UInt8](repeating: 7, count: 255)) + Data([0])
        for _ in 0..<1600 { file.extensions += comment }
        let decoder = try makeDecoder()
        for byte in file.data { try decoder.append(Data([byte])) }
        #expect(try decoder.finish().letters == "r")
    }
}
