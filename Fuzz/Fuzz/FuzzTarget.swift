import Calotype
import CalotypeCore
import FoundationEssentials

@testable import CalotypeCache
@testable import CalotypeCodecs
@testable import CalotypeLoading
@testable import CalotypeSupport

/// The parts that can be fuzzed: each decoder, each parser of ours that reads bytes from outside, and
/// sequences of operations, which bytes choose.
enum FuzzTarget: String, CaseIterable {
    case jpeg, png, gif, webp, avif, heic, jxl, tiff, bmp, ico
    case raw, thumbnail, depth
    case fillings, info, appends
    case sniffing, exif, stripping
    case exifEditing, xmp, gainMapFile, gainMap, details, profile, pages, icon
    case nextImage, cloudflare, imgproxy, thumbor
    case originPattern, originFields, certificate
    case entry, settings, entryName, inlineURL
    case responseRecord, responseHeaders, answerHead, requestText, address
    case memoryCache, diskIndex

    static var names: String { allCases.map(\.rawValue).joined(separator: " ") }

    /// Reads the input; a crash, a hang or a broken promise is a find, an error is not.
    func run(_ input: Data) {
        switch self {
        case .jpeg, .png, .gif, .webp, .avif, .heic, .jxl, .tiff, .bmp, .ico: decoderCheck?.run(input)
        case .raw: checkRaw(input)
        case .thumbnail: checkThumbnail(input)
        case .depth: checkDepth(input)
        case .fillings: Self.decoderChecks(of: input).forEach { $0.checkFillings(input) }
        case .info: Self.decoderCheck(sniffing: input)?.checkHeader(input)
        case .appends: checkPieces(input)
        case .sniffing: _ = ImageFormat(sniffing: input)
        case .exif: ExifCheck.run(input)
        case .stripping: StrippingCheck.run(input)
        case .exifEditing: MetadataCheck.checkExif(input)
        case .xmp: MetadataCheck.checkXMP(input)
        case .gainMapFile: GainMapCheck.checkFile(input)
        case .gainMap: GainMapCheck.checkParameters(of: input)
        case .details: DetailsCheck.run(input)
        case .profile: ProfileCheck.run(input)
        case .pages: PagesCheck.run(input)
        case .icon: PagesCheck.checkIcon(input)
        case .nextImage: GrammarCheck.checkNextImage(String(decoding: input, as: UTF8.self))
        case .cloudflare: GrammarCheck.checkCloudflare(String(decoding: input, as: UTF8.self))
        case .imgproxy: GrammarCheck.checkImgproxy(String(decoding: input, as: UTF8.self))
        case .thumbor: GrammarCheck.checkThumbor(String(decoding: input, as: UTF8.self))
        case .originPattern: OriginCheck.checkPattern(String(decoding: input, as: UTF8.self))
        case .originFields: OriginCheck.checkFields(String(decoding: input, as: UTF8.self))
        case .certificate: OriginCheck.checkCertificate(input)
        case .entry: EntryCheck.run(input)
        case .settings: checkSettings(String(decoding: input, as: UTF8.self))
        case .entryName: checkName(String(decoding: input, as: UTF8.self))
        case .inlineURL: checkInlineURL(String(decoding: input, as: UTF8.self))
        case .responseRecord: ResponseRecordCheck.read(input)
        case .answerHead: checkAnswerHead(input)
        case .requestText: checkRequest(String(decoding: input, as: UTF8.self))
        case .address: AddressCheck.run(String(decoding: input, as: UTF8.self))
        case .memoryCache: MemoryCacheCheck.run(input)
        case .diskIndex: DiskIndexCheck.run(input)
        case .responseHeaders: ResponseRecordCheck.keep(String(decoding: input, as: UTF8.self))
        }
    }

    /// The check of the decoder of this target; `nil` for a target that is not a decoder.
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

    /// The checks of each decoder that may take the input: many raws of cameras begin as a TIFF does.
    private static func decoderChecks(of input: Data) -> [DecoderCheck] {
        let raw = CameraRawDecoder()
        return [decoderCheck(sniffing: input), raw.recognizes(input).map { DecoderCheck(raw, $0) }]
            .compactMap { $0 }
    }

    /// The header of a raw tells what its decode gives.
    private func checkRaw(_ input: Data) {
        let decoder = CameraRawDecoder()
        do throws(DecodeError) {
            let image = try decoder.decode(input, options: DecoderCheck.whole)
            let info = try decoder.info(of: input, limits: DecoderCheck.limits)
            precondition(ImageFormat.cameraRaws.contains(info.format), "a raw is none of the others")
            precondition(image.format == info.format, "the header tells the format")
            precondition(image.size == info.displaySize, "the header tells the size")
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
        }
    }

    /// A thumbnail is within the limits and the box.
    private func checkThumbnail(_ input: Data) {
        do throws(DecodeError) {
            let image = try CodecRegistry.standard.thumbnail(in: input, options: DecoderCheck.small)
            precondition(image.map { $0.width <= 7 && $0.height <= 5 } ?? true, "it is within the box")
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
        }
    }

    /// A decode that keeps its depth gives the size of one that does not, and fails as that does.
    private func checkDepth(_ input: Data) {
        let check = Self.decoderCheck(sniffing: input)
        var deep = DecoderCheck.whole
        (deep.keepsDepth, deep.convertsToSRGB) = (true, false)
        guard let check, let image = check.decode(input, deep) else { return }
        _ = image.rgba8()
        if let ordinary = check.decode(input, DecoderCheck.whole) {
            precondition(ordinary.size == image.size, "depth does not change the size")
        }
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

    /// A head that is taken for an answer says one thing about how long it is.
    private func checkAnswerHead(_ input: Data) {
        do throws(FetchError) {
            let head = try HTTPResponseHeader(lines: input)
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
        do throws(LoadError) {
            let request = try ImageRequest(text)
            let scheme = request.url.scheme?.lowercased() ?? ""
            precondition(["http", "https", "data"].contains(scheme), "text makes requests of the web")
            precondition(!request.description.isEmpty, "a request says what it is for")
        } catch {
            // The text is not a URL.
        }
    }

    private func checkName(_ text: String) {
        guard let name = EntryName(fileName: text) else { return }
        precondition(name.fileName == text, "a name reads back as it was written")
    }

    private func checkInlineURL(_ text: String) {
        guard let url = URL(string: "data:" + text) else { return }
        do {
            let inline = try DataURL(url, maxByteCount: 1000)
            precondition(inline.bytes.count <= 1000, "the limit holds")
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
        }
    }
}
