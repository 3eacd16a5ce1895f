import CalotypeCodecs
import CalotypeCore

extension ImageDetails {
    /// The known details as members of a JSON object, by their names in the library.
    var members: [String] {
        var members = JSONMembers()
        members.add("pages", pageCount)
        members.add("densityX", density?.horizontal)
        members.add("densityY", density?.vertical)
        members.add("profileName", profileName)
        members.add("chromaSubsampling", chromaSubsampling?.rawValue)
        if let exif { members.add("exif", exif.members) }
        return members.all
    }
}

extension Exif {
    fileprivate var members: JSONMembers {
        var members = JSONMembers()
        members.add("cameraMake", cameraMake)
        members.add("cameraModel", cameraModel)
        members.add("lensMake", lensMake)
        members.add("lensModel", lensModel)
        members.add("software", software)
        members.add("exposureTime", exposureTime)
        members.add("fNumber", fNumber)
        members.add("isoSpeed", isoSpeed)
        members.add("focalLength", focalLength)
        members.add("focalLengthIn35mmFilm", focalLengthIn35mmFilm)
        members.add("captureDate", captureDate?.description)
        members.add("orientation", orientation?.rawValue)
        if let location {
            var position = JSONMembers()
            position.add("latitude", location.latitude)
            position.add("longitude", location.longitude)
            position.add("altitude", location.altitude)
            members.add("location", position)
        }
        return members
    }
}

/// The members of a JSON object (RFC 8259 section 4), in order.
private struct JSONMembers {
    private(set) var all: [String] = []

    mutating func add(_ name: String, _ number: Int?) {
        if let number { all.append("\"\(name)\":\(number)") }
    }

    /// Adds a number with at most seven decimals; JSON has no infinity and no NaN.
    mutating func add(_ name: String, _ number: Double?) {
        guard let number, number.isFinite else { return }
        let rounded = (number * 1e7).rounded() / 1e7
        // Very small and very large numbers keep their digits.
        let shown = abs(number) < 1e-3 || !rounded.isFinite ? number : rounded
        let whole = Int(exactly: shown).map { "\($0)" }
        all.append("\"\(name)\":\(whole ?? "\(shown)")")
    }

    /// Adds a text, whose control characters the parser of the file has removed.
    mutating func add(_ name: String, _ text: String?) {
        guard let text else { return }
        let escaped = text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case _ where scalar.value < 32: escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        all.append("\"\(name)\":\"\(escaped)\"")
    }

    mutating func add(_ name: String, _ members: JSONMembers) {
        guard !members.all.isEmpty else { return }
        all.append("\"\(name)\":{\(members.all.joined(separator: ","))}")
    }
}

extension LoopCount {
    /// The number as files write it: 0 for endless.
    var number: Int {
        switch self {
        case .infinite: 0
        case .times(let count): count
        }
    }
}
