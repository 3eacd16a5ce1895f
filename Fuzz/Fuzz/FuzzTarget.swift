import CalotypeCore
import FoundationEssentials

@testable import CalotypeCache
@testable import CalotypeCodecs
@testable import CalotypeLoading
@testable import CalotypeSupport

/// What can be fuzzed: each decoder, each parser of ours that reads bytes from outside, and sequences of
/// operations, which bytes choose.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, gif, webp, avif, heic, jxl, tiff, bmp, ico
    case sniffing, exif
    case entry, settings, entryName, inlineURL
    case responseRecord, responseHeaders
    case memoryCache, diskIndex

    static var names: String { allCases.map(\.rawValue).joined(separator: " ") }

    /// Reads the input; a crash, a hang and a broken promise are finds, an error is none.
    func run(_ input: Data) {
        switch self {
        case .jpeg: DecoderCheck(JPEGDecoder(), .jpeg).run(input)
        case .png: DecoderCheck(PNGDecoder(), .png).run(input)
        case .gif: DecoderCheck(GIFDecoder(), .gif).run(input)
        case .webp: DecoderCheck(WebPDecoder(), .webP, comparesPixels: false).run(input)
        case .avif: DecoderCheck(AVIFDecoder(), .avif).run(input)
        case .heic: DecoderCheck(HEICDecoder(), .heic).run(input)
        case .jxl: DecoderCheck(JPEGXLDecoder(), .jpegXL).run(input)
        case .tiff: DecoderCheck(TIFFDecoder(), .tiff).run(input)
        case .bmp: DecoderCheck(BMPDecoder(), .bmp).run(input)
        case .ico: DecoderCheck(ICODecoder(), .ico).run(input)
        case .sniffing: _ = ImageFormat(sniffing: input)
        case .exif: _ = Orientation(exif: input)
        case .entry: EntryCheck.run(input)
        case .settings: checkSettings(String(decoding: input, as: UTF8.self))
        case .entryName: checkName(String(decoding: input, as: UTF8.self))
        case .inlineURL: checkInlineURL(String(decoding: input, as: UTF8.self))
        case .responseRecord: ResponseRecordCheck.read(input)
        case .memoryCache: MemoryCacheCheck.run(input)
        case .diskIndex: DiskIndexCheck.run(input)
        case .responseHeaders: ResponseRecordCheck.keep(String(decoding: input, as: UTF8.self))
        }
    }

    private func checkSettings(_ text: String) {
        do {
            let settings = try DiskSettings(text: text)
            let again = try DiskSettings(text: settings.text(keeping: DiskSettings.unknownLines(in: text)))
            precondition(again == settings, "settings read back as they were written")
        } catch {
            // Which line makes no sense.
        }
    }

    private func checkName(_ text: String) {
        guard let name = EntryName(fileName: text) else { return }
        precondition(name.fileName == text, "a name reads back as it was written")
    }

    private func checkInlineURL(_ text: String) {
        guard let url = URL(string: "data:" + text) else { return }
        do {
            let inline = try InlineData(url, byteCountMax: 1000)
            precondition(inline.bytes.count <= 1000, "the limit holds")
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
        }
    }
}
