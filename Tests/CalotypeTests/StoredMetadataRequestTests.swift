import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Metadata of images whose variants are stored without an encoding.
@Suite(.blocking) struct StoredMetadataRequestTests {
    /// A JPEG with an XMP packet.
    private static func file() throws -> Data {
        let file = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 120, height: 90)))
        let payload = Data("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><rdf:RDF/></x:xmpmeta>".utf8)
        let count = payload.count + 2
        let head = Data([0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 255)])
        return file.prefix(2) + head + payload + file.dropFirst(2)
    }

    @Test(arguments: [true, false])
    func `a resized image keeps its metadata, also if its variant comes from disk`(waits: Bool) async throws {
        let data = try Self.file()
        let bench = PipelineBench { request, _ in .network(request.url, data) }
        let request = bench.request(width: 60) {
            $0.decoding.keepsMetadata = true
            $0.cachePolicy.variantOnDisk = .readWrite
            $0.waitsForStore = waits
        }
        #expect(try await bench.pipeline.image(for: request).metadata.blocks?.xmp.isEmpty == false)
        await bench.pipeline.untilIdle()
        bench.pipeline.cache.removeAllFromMemory()
        let second = try await bench.pipeline.load(request)
        #expect(second.source == .disk && second.image.metadata.blocks?.xmp.isEmpty == false)
        #expect(bench.store.keys.count == 1, "the original alone")
    }

    @Test func `a variant that PNG cannot hold has no stored bytes of its own`() throws {
        let bench = PipelineBench { request, _ in .network(request.url) }
        var request = bench.request(width: 60) { $0.cachePolicy.variantOnDisk = .readWrite }
        #expect(request.storedEncoder != nil)
        request.decoding.keepsGainMap = true
        #expect(request.storedEncoder == nil)
        request.encoding = .webP(quality: 80)
        #expect(request.storedEncoder != nil)
    }
}
