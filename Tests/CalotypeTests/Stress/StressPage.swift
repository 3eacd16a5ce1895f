import Calotype
import CalotypeTesting
import FoundationEssentials

/// A URL of the stress tests: how its origin behaves, and which picture it has.
///
/// Each picture has a height of its own for each page and each credential, so that its size tells at any
/// width whose it is. Bytes are of the format that ``FakeImageDecoder`` knows.
struct StressPage: Hashable, Sendable {
    /// What the origin does.
    enum Kind: String, CaseIterable, Sendable {
        case whole, chunked, redirect
        case missing, broken, reset, garbage, empty
        case stall

        /// The code of the error that a load ends with that nobody cancels; `nil` for a picture.
        var errorCode: String? {
            switch self {
            case .whole, .chunked, .redirect, .stall: nil
            case .missing, .broken: "unacceptableStatus"
            case .reset: "connectionLost"
            case .garbage: "unrecognizedFormat"
            case .empty: "empty"
            }
        }
    }

    static let width = 64
    static let credentials = [nil, "Bearer a", "Bearer b"]

    let kind: Kind
    let index: Int

    init(kind: Kind, index: Int) {
        self.kind = kind
        self.index = index
    }

    /// The page of a path.
    init?(path: String) {
        let parts = path.split(separator: "/")
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), let index = Int(parts[1]) else {
            return nil
        }
        self.init(kind: kind, index: index)
    }

    var path: String { "/\(kind.rawValue)/\(index)" }

    /// The size of the picture that those credentials get.
    func size(_ credentials: String?) -> PixelSize {
        let position = Self.credentials.firstIndex(of: credentials) ?? 0
        return PixelSize(width: Self.width, height: 8 * (1 + position + Self.credentials.count * index))
    }

    /// The bytes of that picture: as many as make several chunks on the wire.
    func body(_ credentials: String?) -> Data {
        let size = size(credentials)
        let text = "\(index) \(credentials ?? "none") " + String(repeating: "x", count: 20_000)
        return FakeImageDecoder.data(width: size.width, height: size.height, suffix: text)
    }

    /// The entity tag of those bytes.
    func entityTag(_ credentials: String?) -> String { "\"\(size(credentials).height)\"" }
}
