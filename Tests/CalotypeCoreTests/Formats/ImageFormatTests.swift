import CalotypeCore
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated) struct ImageFormatTests {
    @Test(arguments: ImageFormat.recognized)
    func `a format is found by each of its names in any case`(format: ImageFormat) {
        #expect(ImageFormat(mediaType: format.mediaType.uppercased()) == format)
        for name in format.fileExtensions {
            #expect(ImageFormat(fileExtension: name) == format)
            #expect(ImageFormat(fileExtension: ".\(name.uppercased())") == format)
        }
    }

    @Test(arguments: [
        ("image/jpg", ImageFormat.jpeg), ("image/jpeg; charset=binary", .jpeg), ("IMAGE/X-ICON", .ico),
        ("image/svg+xml", .svg), (" image/webp ", .webP),
    ])
    func `a media type is parsed with parameters and common aliases`(
        text: String,
        format: ImageFormat
    ) {
        #expect(ImageFormat(mediaType: text) == format)
    }

    @Test(arguments: ["", "image", "text/html", "image/jpegx", "jpg"])
    func `parsing a media type of another kind returns nil`(text: String) {
        #expect(ImageFormat(mediaType: text) == nil)
    }

    @Test func `a custom format has its own file extension`() {
        let own = ImageFormat(rawValue: "qoi")
        #expect((own.fileExtension, own.mediaType) == ("qoi", "application/octet-stream"))
    }

    @Test func `the usual file extensions are the shortest known`() {
        #expect(
            ImageFormat.recognized.map(\.fileExtension).joined(separator: " ")
                == "jpg png gif webp avif heic jxl tiff bmp ico svg"
        )
    }
}

@Suite(.gated) struct TimestampTests {
    @Test func `a timestamp converts to a date and back`() {
        let time = Timestamp(nanosecondsSince1970: 1_770_091_506_789_000_000)
        #expect("\(time)" == "2026-02-03T04:05:06.789Z")
        #expect(abs(Timestamp(time.date).duration(since: time) / .nanoseconds(1)) < 1000)
    }

    @Test(arguments: [Date.distantFuture, .distantPast, Date(timeIntervalSince1970: .infinity)])
    func `a date out of range becomes the nearest timestamp`(date: Date) {
        let time = Timestamp(date)
        #expect(time.nanosecondsSince1970 == .max || time.nanosecondsSince1970 == .min)
    }
}

@Suite(.gated) struct PixelBoxTests {
    @Test(arguments: [0, -1, Int.min])
    func `an empty box is marked as such and still gives at least one pixel`(side: Int) {
        for box in [PixelBox(width: side), PixelBox(height: side), PixelBox(width: side, height: side)] {
            #expect(!box.fitsOnePixel)
            let size = PixelSize(width: 400, height: 300)
            #expect(!box.fitting(size).isEmpty && !box.filling(size).isEmpty)
        }
        #expect(PixelBox().fitsOnePixel && PixelBox(width: 1).fitsOnePixel)
    }
}
