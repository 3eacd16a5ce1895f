import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A camera's raw file: which it is, how its picture is turned, and the previews that it has of it.
///
/// Nothing is decoded for it, and no sample of the sensor is looked at.
struct CameraRaw {
    let format: ImageFormat
    /// What the file states for its picture; `nil` where the preview says so itself.
    let orientation: Orientation?
    /// The JPEG of the most pixels.
    let preview: EmbeddedJPEG?
    /// Where a small picture that is no JPEG has its directory, for want of a preview.
    let pictureDirectory: Int?

    /// Reads a file; `nil` where it is none of a camera's raws.
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
        guard let head = TIFFHead(file) else { return nil }
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
            // What cannot be read is for the decoder of TIFF to judge.
            return nil
        }
    }

    /// `JpgFromRaw`.
    private static let panasonicJPEG: UInt16 = 0x2E
    private static let digitalNegativeVersion: UInt16 = 50_706

    /// By what only raws have: a version of DNG, samples as a sensor has them, a maker's own packing.
    private static func format(
        of directories: [TIFFTags],
        _ head: TIFFHead,
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
    /// Whether its samples are those of a sensor: a colour filter array, linear raw, or packed in a way of
    /// Nikon's, Sony's, Samsung's or Pentax's.
    fileprivate var isOfSensor: Bool {
        [32_803, 34_892].contains(stated(262) ?? 0)
            || [32_767, 32_769, 32_770, 34_713, 65_535].contains(stated(259) ?? 0)
    }

    /// Whether it is a picture of 8 bits that is packed as every TIFF may be.
    fileprivate var isPlainPicture: Bool {
        !isOfSensor && stated(258) == 8 && [1, 2].contains(stated(262) ?? 0)
            && (contains(273) || contains(324))
            && [1, 5, 8, 32_773].contains(stated(259) ?? 1)
    }
}

/// Fujifilm's raw: a header that says where the JPEG is.
private enum FujifilmRaw {
    static let magic = Data("FUJIFILMCCD-RAW ".utf8)
    /// Where the place and the length of the JPEG stand.
    private static let entryPlace = 84

    static func jpeg(in file: Data) -> Range<Int>? {
        var reader = ByteReader(file.dropFirst(entryPlace))
        guard let start = reader.bigEndian(UInt32.self), let byteCount = reader.bigEndian(UInt32.self) else {
            return nil
        }
        return Int(start)..<Int(start) + Int(byteCount)
    }
}
