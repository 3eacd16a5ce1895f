import CalotypeCodecs
import CalotypeCore
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing
import WorkerSupport

@Suite(.blocking, .inBothModes, .enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
struct WebPCorpusTests {
    @Test(arguments: SharedCorpus.photographs.filter { $0.pathExtension == "webp" })
    func `a photograph decodes whole, at a target and in chunks`(url: URL) throws {
        let data = try Data(contentsOf: url)
        let info = try CodecRegistry.tested.info(of: data)
        #expect(try CodecRegistry.tested.decode(data).size == info.displaySize)
        let options = DecodeOptions(target: .fit(PixelBox(width: 400, height: 400)))
        let small = try CodecRegistry.tested.decode(data, options: options)
        #expect(small.size == PixelBox(width: 400, height: 400).fitting(info.displaySize))
        let decoder = try #require(WebPDecoder().tested.makeIncrementalDecoder(for: .webP, options: options))
        for start in stride(from: 0, to: data.count, by: 50_000) {
            try decoder.append(data.dropFirst(start).prefix(50_000))
        }
        #expect(try decoder.finish().hasBytes(of: small))
    }
}
