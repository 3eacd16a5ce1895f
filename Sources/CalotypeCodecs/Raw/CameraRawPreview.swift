import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The largest preview of a camera raw file, with the file's format and orientation.
///
/// Parsed without decoding pixels or reading sensor samples.
struct CameraRawPreview {
    let format: ImageFormat
    /// The orientation stated by the file; `nil` to use that of the preview.
    let orientation: Orientation?
    /// The JPEG with the most pixels.
    let preview: EmbeddedJPEG?
    /// The directory of a small picture that is not a JPEG, used if there is no preview.
    let pictureDirectory: Int?

    /// Reads a file; `nil` unless it is a camera raw.
    init?(_ file: Data) {
        if file.starts(with: FujifilmRaw.magic) {
            self.init(.raf, orientation: nil, [FujifilmRaw.jpeg(in: file)], in: file)
        } else if CanonMovie.isStart(of: file) {
            let movie = CanonMovie(file)
            self.init(.cr3, orientation: movie.orientation, movie.jpegs, in: file)
        } else {
            self.init(tiff: file)
        }
    }

    private init(
        _ format: ImageFormat,
        orientation: Orientation?,
        _ places: [Range<Int>?],
        in file: Data,
        pictureDirectory: Int? = nil
    ) {
        self.format = format
        self.orientation = orientation
        self.pictureDirectory = pictureDirectory
        let previews = places.compactMap { EmbeddedJPEG(file, $0) }
        var largest = previews.max { $0.size.pixelCount < $1.size.pixelCount }
        largest?.orientation = orientation
        preview = largest
    }

    private init?(tiff file: Data) {
        guard let head = TIFFHeader(file) else { return nil }
        do throws(DecodeError) {
            let directories = try TIFFDirectories(file).all
            guard let format = Self.format(of: directories, head, file) else { return nil }
            self.init(
                format,
                orientation: directories[0].orientation,
                directories.map { $0.isOfSensor ? nil : $0.jpeg } + [
                    directories[0].bytes(Self.panasonicJPEG)
                ],
                in: file,
                pictureDirectory: directories.first(where: \.isPlainPicture)?.place
            )
        } catch {
            // Leave damaged files to the TIFF decoder.
            return nil
        }
    }

    /// `JpgFromRaw`.
    private static let panasonicJPEG: UInt16 = 0x2E
    private static let digitalNegativeVersion: UInt16 = 50_706

    /// Determines the format by features of camera raws: a version of DNG, sensor samples, a maker's
    /// compression.
    private static func format(
        of directories: [TIFFTags],
        _ head: TIFFHeader,
        _ file: Data
    ) -> ImageFormat? {
        if head.isPanasonic { return .rw2 }
        if directories[0].contains(digitalNegativeVersion) { return .dng }
        if file.dropFirst(8).starts(with: Data("CR".utf8)) { return .cr2 }
        guard directories.contains(where: \.isOfSensor) else { return nil }
        let maker = directories[0].text(271).uppercased()
        return makers.first { maker.hasPrefix($0.name) }?.format
    }

    private static let makers: [(name: String, format: ImageFormat)] = [
        ("NIKON", .nef), ("SONY", .arw), ("PENTAX", .pef), ("RICOH", .pef), ("SAMSUNG", .srw),
    ]
}

extension TIFFTags {
    /// True if its samples are those of a sensor: a colour filter array, linear raw, or a compression of
    /// Nikon, Sony, Samsung or Pentax.
    fileprivate var isOfSensor: Bool {
        [32_803, 34_892].contains(stated(262) ?? 0)
            || [32_767, 32_769, 32_770, 34_713, 65_535].contains(stated(259) ?? 0)
    }

    /// True for a picture of 8 bits in a compression of ordinary TIFF.
    fileprivate var isPlainPicture: Bool {
        !isOfSensor && stated(258) == 8 && [1, 2].contains(stated(262) ?? 0)
            && (contains(273) || contains(324))
            && [1, 5, 8, 32_773].contains(stated(259) ?? 1)
    }
}

/// Fujifilm's camera raw: a header with the position of the JPEG.
private enum FujifilmRaw {
    static let magic = Data("FUJIFILMCCD-RAW ".utf8)
    /// The offset of the position and the length of the JPEG.
    private static let entryPlace = 84

    static func jpeg(in file: Data) -> Range<Int>? {
        var reader = ByteReader(file.dropFirst(entryPlace))
        guard let start = reader.bigEndian(UInt32.self), let byteCount = reader.bigEndian(UInt32.self) else {
            return nil
        }
        return Int(start)..<Int(start) + Int(byteCount)
    }
}
