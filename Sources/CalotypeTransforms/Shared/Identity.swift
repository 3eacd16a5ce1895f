import CalotypeCore
import CalotypeSupport

/// The text of a transform in cache keys: `name-version(property=value,…)`.
struct Identity {
    private let name: String
    private let version: Int
    private var properties: [String] = []

    init(_ name: String, version: Int = 1) {
        self.name = name
        self.version = version
    }

    /// Adds a number, written so that it can be read back exactly; both zeros are equal.
    func with(_ property: String, _ value: Double) -> Identity {
        with(property, value == 0 ? "0" : "\(value)")
    }

    func with(_ property: String, _ value: Int) -> Identity {
        with(property, String(value))
    }

    func with(_ property: String, _ value: Bool) -> Identity {
        with(property, value ? "yes" : "no")
    }

    func with(_ property: String, _ value: PixelSize) -> Identity {
        with(property, "\(value.width)x\(value.height)")
    }

    /// Adds a colour as `rrggbbaa`.
    func with(_ property: String, _ value: RGBAColor) -> Identity {
        with(property, value.hex)
    }

    /// Adds a fixed word, such as the case of an enumeration.
    func with(_ property: String, _ value: String) -> Identity {
        var identity = self
        identity.properties.append("\(property)=\(value)")
        return identity
    }

    /// Adds the SHA-256 of a value whose text is long: keys of results have a maximum length on disk.
    func with(_ property: String, digestOf bytes: [UInt8]) -> Identity {
        var digest = MessageDigest.sha256()
        digest.update(bytes.span)
        return with(property, digest.finalize().prefix(16).hexadecimalDigits)
    }

    var text: String { "\(name)-\(version)(\(properties.joined(separator: ",")))" }
}
