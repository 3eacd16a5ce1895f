import Calotype
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
    case fillings, info, appends
    case sniffing, exif
    case entry, settings, entryName, inlineURL
    case responseRecord, responseHeaders, answerHead, requestText
    case memoryCache, diskIndex

    static var names: String { allCases.map(\.rawValue).joined(separator: " ") }

    /// Reads the input; a crash, a hang and a broken promise are finds, an error is none.
    func run(_ input: Data) {
        switch self {
        case .jpeg, .png, .gif, .webp, .avif, .heic, .jxl, .tiff, .bmp, .ico: decoderCheck?.run(input)
        case .fillings: Self.decoderCheck(sniffing: input)?.checkFillings(input)
        case .info: Self.decoderCheck(sniffing: input)?.checkHeader(input)
        case .appends: checkPieces(input)
        case .sniffing: _ = ImageFormat(sniffing: input)
        case .exif: _ = Orientation(exif: input)
        case .entry: EntryCheck.run(input)
        case .settings: checkSettings(String(decoding: input, as: UTF8.self))
        case .entryName: checkName(String(decoding: input, as: UTF8.self))
        case .inlineURL: checkInlineURL(String(decoding: input, as: UTF8.self))
        case .responseRecord: ResponseRecordCheck.read(input)
        case .answerHead: checkAnswerHead(input)
        case .requestText: checkRequest(String(decoding: input, as: UTF8.self))
        case .memoryCache: MemoryCacheCheck.run(input)
        case .diskIndex: DiskIndexCheck.run(input)
        case .responseHeaders: ResponseRecordCheck.keep(String(decoding: input, as: UTF8.self))
        }
    }

    /// What is checked of the decoder of this target; `nil` for what is no decoder.
    private var decoderCheck: DecoderCheck? {
        switch self {
        case .jpeg: DecoderCheck(JPEGDecoder(), .jpeg)
        case .png: DecoderCheck(PNGDecoder(), .png)
        case .gif: DecoderCheck(GIFDecoder(), .gif)
        case .webp: DecoderCheck(WebPDecoder(), .webP, comparesPixels: false)
        case .avif: DecoderCheck(AVIFDecoder(), .avif)
        case .heic: DecoderCheck(HEICDecoder(), .heic)
        case .jxl: DecoderCheck(JPEGXLDecoder(), .jpegXL)
        case .tiff: DecoderCheck(TIFFDecoder(), .tiff)
        case .bmp: DecoderCheck(BMPDecoder(), .bmp)
        case .ico: DecoderCheck(ICODecoder(), .ico)
        default: nil
        }
    }

    private static func decoderCheck(sniffing input: Data) -> DecoderCheck? {
        ImageFormat(sniffing: input).flatMap { FuzzTarget(rawValue: $0.rawValue)?.decoderCheck }
    }

    private func checkPieces(_ input: Data) {
        let file = input.dropFirst(DecoderCheck.choiceCount)
        guard !file.isEmpty else { return }
        let choices = input.prefix(DecoderCheck.choiceCount)
        Self.decoderCheck(sniffing: file)?.checkPieces(of: file, chosenBy: choices)
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

    /// What is taken for an answer says one thing about how long it is.
    private func checkAnswerHead(_ input: Data) {
        do throws(FetchError) {
            let head = try HTTPAnswerHead(lines: input)
            precondition((head.contentByteCount ?? 0) >= 0, "no body is shorter than nothing")
            precondition(
                head.fields.allSatisfy { !$0.name.isEmpty && !$0.value.utf8.contains(UInt8(ascii: "\n")) },
                "a field is one line with a name"
            )
        } catch {
            // The origin speaks no HTTP.
        }
    }

    /// Text from outside names no file.
    private func checkRequest(_ text: String) {
        do throws(FetchError) {
            let request = try ImageRequest(text)
            let scheme = request.url.scheme?.lowercased() ?? ""
            precondition(["http", "https", "data"].contains(scheme), "text makes requests of the web")
            precondition(!request.description.isEmpty, "a request says what it is for")
        } catch {
            // It is no URL.
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
