import CalotypeCore
import FoundationEssentials

extension Exif {
    /// Reads the fields of an Exif block from its first directory, its Exif directory and its GPS directory.
    ///
    /// `nil` if the block has none of them, or is not a TIFF.
    init?(block: Data) {
        self.init()
        guard let image = ExifDirectory(block) else { return nil }
        cameraMake = image.text(0x010F)
        cameraModel = image.text(0x0110)
        software = image.text(0x0131)
        orientation = image.orientation
        if let photograph = ExifDirectory(0x8769, of: image) { read(photograph) }
        location = ExifDirectory(0x8825, of: image).flatMap { Location($0) }
        if self == Exif() { return nil }
    }

    /// EXIF 2.32 section 4.6.5.
    private mutating func read(_ photograph: ExifDirectory) {
        lensMake = photograph.text(0xA433)
        lensModel = photograph.text(0xA434)
        exposureTime = photograph.positive(0x829A)
        fNumber = photograph.positive(0x829D)
        focalLength = photograph.positive(0x920A)
        focalLengthIn35mmFilm = photograph.integer(0xA405).flatMap { $0 > 0 ? $0 : nil }
        isoSpeed = Self.isoSpeed(photograph)
        captureDate = CaptureDate(
            text: photograph.text(0x9003),
            fraction: photograph.text(0x9291),
            offset: photograph.text(0x9011)
        )
    }

    /// The 16-bit tag holds 65,535 for larger values, which other tags state.
    private static func isoSpeed(_ photograph: ExifDirectory) -> Int? {
        let short = photograph.integer(0x8827).flatMap { $0 > 0 ? $0 : nil }
        guard short == nil || short == 65_535 else { return short }
        let longer = [UInt16(0x8833), 0x8832, 0x8831].lazy.compactMap { photograph.integer($0) }
        return longer.first { $0 > 0 } ?? short
    }
}

extension ExifDirectory {
    fileprivate func positive(_ tag: UInt16) -> Double? {
        rationals(tag, count: 1).flatMap { $0[0] > 0 ? $0[0] : nil }
    }
}

extension Exif.Location {
    /// EXIF 2.32 section 4.6.6.
    fileprivate init?(_ position: ExifDirectory) {
        guard let latitude = Self.degrees(position, 2, reference: 1, letters: ("N", "S")),
            let longitude = Self.degrees(position, 4, reference: 3, letters: ("E", "W"))
        else { return nil }
        let height = position.rationals(6, count: 1).map { $0[0] }
        // EXIF 3.0 adds 2 and 3, relative to the ellipsoid, to 0 above and 1 below the sea.
        let isBelow = [1, 3].contains(position.integer(5))
        self.init(latitude: latitude, longitude: longitude, altitude: height.map { isBelow ? -$0 : $0 })
    }

    private static func degrees(
        _ position: ExifDirectory,
        _ tag: UInt16,
        reference: UInt16,
        letters: (String, String)
    ) -> Double? {
        guard let parts = position.rationals(tag, count: 3), let letter = position.text(reference),
            parts.allSatisfy({ $0 >= 0 }), letter == letters.0 || letter == letters.1
        else { return nil }
        let degrees = parts[0] + parts[1] / 60 + parts[2] / 3600
        return letter == letters.1 ? -degrees : degrees
    }
}

extension Exif.CaptureDate {
    /// Parses "2026:11:26 09:30:00", digits of the fraction of a second, and "+01:00".
    fileprivate init?(text: String?, fraction: String?, offset: String?) {
        guard let text, let numbers = Self.numbers(text, pattern: "0000:00:00 00:00:00") else { return nil }
        self.init(
            year: numbers[0],
            month: numbers[1],
            day: numbers[2],
            hour: numbers[3],
            minute: numbers[4],
            second: numbers[5],
            nanosecond: Self.nanosecond(fraction ?? ""),
            secondsFromUTC: offset.flatMap { Self.seconds($0) }
        )
    }

    private static func nanosecond(_ fraction: String) -> Int {
        let digits = fraction.utf8.prefix(9).prefix { (48...57).contains($0) }
        let value = digits.reduce(0) { $0 * 10 + Int($1) - 48 }
        return (digits.count..<9).reduce(value) { value, _ in value * 10 }
    }

    private static func seconds(_ offset: String) -> Int? {
        guard let numbers = numbers(String(offset.dropFirst()), pattern: "00:00"), numbers[1] < 60,
            numbers[0] <= 15
        else { return nil }
        let seconds = (numbers[0] * 60 + numbers[1]) * 60
        switch offset.first {
        case "+": return seconds
        case "-": return -seconds
        default: return nil
        }
    }

    /// Returns the numbers of a text that has digits at the zeros of the pattern, and equals it elsewhere.
    private static func numbers(_ text: String, pattern: String) -> [Int]? {
        guard text.utf8.count == pattern.utf8.count else { return nil }
        var numbers = [0]
        for (byte, expected) in zip(text.utf8, pattern.utf8) {
            if expected != UInt8(ascii: "0") {
                guard byte == expected else { return nil }
                numbers.append(0)
            } else {
                guard (48...57).contains(byte) else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte) - 48
            }
        }
        return numbers
    }
}
