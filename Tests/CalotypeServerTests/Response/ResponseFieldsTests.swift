import Calotype
import CalotypeCore
import CalotypeLoading
import FoundationEssentials
import TestSupport
import Testing

@testable import CalotypeServer

@Suite(.gated) struct ResponseFieldsTests {
    private let heads = RecentResponseFields()
    private let time = Timestamp(nanosecondsSince1970: 1_000_000_000)

    private func image(
        _ bytes: Data,
        _ source: LoadedImage.Source = .memory,
        _ format: ImageFormat = .jpeg
    ) -> EncodedImage {
        let info = ImageInfo(
            format: format,
            size: PixelSize(width: 1, height: 1),
            pixelFormat: .rgb8
        )
        return EncodedImage(data: bytes, info: info, source: source, receivedAt: time)
    }

    /// Whether the header of an image is created, not reused.
    private func isMade(_ image: EncodedImage, after duration: Duration = .zero) -> Bool {
        var isMade = false
        _ = heads.head(of: image, at: time + duration) {
            isMade = true
            return ResponseFields(entityTag: "", fields: [], contentFields: [])
        }
        return isMade
    }

    @Test func `a header is created once a second`() {
        let image = image(Data(repeating: 1, count: 100))
        #expect(isMade(image))
        #expect(!isMade(image, after: .milliseconds(999)))
        #expect(isMade(image, after: .seconds(1)))
        #expect(!isMade(image, after: .milliseconds(1_500)))
    }

    @Test func `other bytes of the same length have their own header`() {
        let (first, second) = (Data(repeating: 1, count: 100), Data(repeating: 1, count: 100))
        #expect(isMade(image(first)) && isMade(image(second)) && isMade(image(first)))
    }

    @Test func `each format has its own header`() {
        let bytes = Data(repeating: 1, count: 100)
        #expect(isMade(image(bytes)) && isMade(image(bytes, .memory, .webP)))
        #expect(!isMade(image(bytes)) && !isMade(image(bytes, .memory, .webP)))
    }

    @Test func `responses from disk and stale ones get a new header each time`() {
        var stale = image(Data(repeating: 1, count: 100))
        stale.isStale = true
        for image in [image(Data(repeating: 1, count: 100), .disk), stale] {
            #expect(isMade(image) && isMade(image))
        }
    }
}
