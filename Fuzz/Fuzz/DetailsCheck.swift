import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

@testable import CalotypeServer

/// The checks of details of a file, and of their JSON.
enum DetailsCheck {
    private struct Document: Decodable {
        var pages: Int
        var densityX: Double?
        var densityY: Double?
        var profileName: String?
        var chromaSubsampling: String?
        var exif: Photograph?
    }

    private struct Photograph: Decodable {
        var cameraMake: String?
        var cameraModel: String?
        var lensMake: String?
        var lensModel: String?
        var software: String?
        var exposureTime: Double?
        var fNumber: Double?
        var isoSpeed: Int?
        var focalLength: Double?
        var focalLengthIn35mmFilm: Int?
        var captureDate: String?
        var orientation: Int?
        var location: Position?
    }

    private struct Position: Decodable {
        var latitude: Double
        var longitude: Double
        var altitude: Double?
    }

    /// Checks a file, and its first half.
    static func run(_ input: Data) {
        for file in [input, input.prefix(input.count / 2)] {
            let start = DecoderCheck.cpuTime
            let details = CodecRegistry.standard.details(of: file)
            precondition(DecoderCheck.cpuTime - start < .seconds(1), "details are read soon")
            checkLimits(of: details)
            checkDocument(of: details)
            checkChroma(of: file, details)
        }
    }

    private static func checkLimits(of details: ImageDetails) {
        precondition((1...10_000).contains(details.pageCount), "the number of pages is bounded")
        let densities = [details.density?.horizontal, details.density?.vertical].compactMap(\.self)
        precondition(densities.allSatisfy { $0 > 0 && $0 <= 1e6 }, "a density is plausible")
        guard let name = details.profileName else { return }
        precondition((1...ImageDetails.maxNameByteCount).contains(name.utf8.count), "a name is bounded")
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        precondition(!hasControls, "a name has no control characters")
    }

    /// Checks that the JSON is valid and has the values of the details.
    private static func checkDocument(of details: ImageDetails) {
        let text = "{\(details.members.joined(separator: ","))}"
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
        } catch {
            preconditionFailure("\(text) is not JSON: \(error)")
        }
        precondition(document.pages == details.pageCount, text)
        precondition(isNear(document.densityX, details.density?.horizontal), text)
        precondition(isNear(document.densityY, details.density?.vertical), text)
        precondition(document.profileName == details.profileName, text)
        precondition(document.chromaSubsampling == details.chromaSubsampling?.rawValue, text)
        let exif = details.exif ?? Exif()
        guard let photograph = document.exif else {
            return precondition(exif == Exif(), text)
        }
        let texts = [exif.cameraMake, exif.cameraModel, exif.lensMake, exif.lensModel, exif.software]
        let shown = [
            photograph.cameraMake, photograph.cameraModel, photograph.lensMake, photograph.lensModel,
            photograph.software,
        ]
        precondition(shown == texts, text)
        let numbers = [exif.exposureTime, exif.fNumber, exif.focalLength]
        let shownNumbers = [photograph.exposureTime, photograph.fNumber, photograph.focalLength]
        precondition(zip(shownNumbers, numbers).allSatisfy { isNear($0, $1) }, text)
        precondition(photograph.isoSpeed == exif.isoSpeed, text)
        precondition(photograph.focalLengthIn35mmFilm == exif.focalLengthIn35mmFilm, text)
        precondition(photograph.captureDate == exif.captureDate?.description, text)
        precondition(photograph.orientation == exif.orientation?.rawValue, text)
        precondition(isNear(photograph.location?.latitude, exif.location?.latitude), text)
        precondition(isNear(photograph.location?.longitude, exif.location?.longitude), text)
        precondition(isNear(photograph.location?.altitude, exif.location?.altitude), text)
    }

    /// Whether a number is equal to seven decimals.
    private static func isNear(_ shown: Double?, _ number: Double?) -> Bool {
        guard let shown, let number else { return (shown == nil) == (number == nil) }
        return abs(shown - number) <= 1e-7 * max(1, abs(number))
    }

    /// Checks that a JPEG without colour is one whose decode is gray.
    private static func checkChroma(of file: Data, _ details: ImageDetails) {
        guard ImageFormat(sniffing: file) == .jpeg, let chroma = details.chromaSubsampling else { return }
        do throws(DecodeError) {
            let info = try CodecRegistry.standard.info(of: file, limits: DecoderCheck.limits)
            precondition((info.pixelFormat == .gray8) == (chroma == .monochrome), "\(chroma) \(info)")
        } catch {
            precondition(!error.detail.isEmpty, "an error says what is wrong")
        }
    }
}
