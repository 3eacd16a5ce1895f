/// The fields of an Exif block that describe the photograph: camera, exposure, date and position
/// (EXIF 2.32 section 4.6).
///
/// Each field is `nil` if the file lacks it or states an implausible value. Read the fields with
/// `CodecRegistry.exif(of:)`, or of a decoded image from ``ImageMetadata/exif``. No encoder writes them.
public struct Exif: Hashable, Sendable {
    /// The maximum length of each text in bytes of UTF-8.
    public static let maxTextByteCount = 256

    /// The manufacturer of the camera.
    public var cameraMake: String?
    /// The model of the camera.
    public var cameraModel: String?
    /// The manufacturer of the lens.
    public var lensMake: String?
    /// The model of the lens.
    public var lensModel: String?
    /// The program or firmware that wrote the file.
    public var software: String?
    /// The exposure time in seconds.
    public var exposureTime: Double?
    /// The f-number: the focal length divided by the diameter of the aperture.
    public var fNumber: Double?
    /// The sensitivity of the sensor as defined by ISO 12232.
    public var isoSpeed: Int?
    /// The focal length of the lens in millimetres.
    public var focalLength: Double?
    /// The focal length in millimetres of a lens with the same field of view on 35 mm film.
    public var focalLengthIn35mmFilm: Int?
    /// The local date and time of the exposure.
    public var captureDate: CaptureDate?
    /// The position of the camera.
    public var location: Location?
    /// The orientation stored in the file, whether or not a decode has applied it.
    public var orientation: Orientation?

    /// Creates an empty description.
    public init() {}
}

extension Exif {
    /// A position on the earth, in the geodetic system WGS 84 unless the camera used another.
    public struct Location: Hashable, Sendable {
        /// Degrees north of the equator, -90 to 90.
        public let latitude: Double
        /// Degrees east of Greenwich, -180 to 180.
        public let longitude: Double
        /// Metres above the sea, negative below; `nil` if not stated.
        public let altitude: Double?

        /// Creates a position; `nil` if a number is outside its range or not finite.
        ///
        /// - Parameters:
        ///   - latitude: Degrees north, -90 to 90.
        ///   - longitude: Degrees east, -180 to 180.
        ///   - altitude: Metres above the sea.
        public init?(latitude: Double, longitude: Double, altitude: Double? = nil) {
            guard (-90...90).contains(latitude), (-180...180).contains(longitude),
                altitude?.isFinite ?? true
            else { return nil }
            (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
        }
    }
}
