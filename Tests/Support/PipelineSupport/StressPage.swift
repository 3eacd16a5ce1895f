package import Calotype
import CalotypeTesting
package import FoundationEssentials

/// A URL of the stress tests: how its origin behaves, and which picture it has.
///
/// Each picture has a height of its own for each page and each credential, so that its size tells at any
/// width whose it is. Bytes are of the format that ``FakeImageDecoder`` knows.
package struct StressPage: Hashable, Sendable {
    /// What the origin does.
    package enum Kind: String, CaseIterable, Sendable {
        case whole, chunked, redirect
        case missing, broken, reset, garbage, empty
        case stall

        /// The code of the error that a load ends with that nobody cancels; `nil` for a picture.
        package var errorCode: String? {
            switch self {
            case .whole, .chunked, .redirect, .stall: nil
            case .missing, .broken: "unacceptableStatus"
            case .reset: "connectionLost"
            case .garbage: "unrecognizedFormat"
            case .empty: "empty"
            }
        }
    }

    package static let width = 64
    package static let credentials = [nil, "Bearer a", "Bearer b"]

    package let kind: Kind
    package let index: Int

    package init(kind: Kind, index: Int) {
        self.kind = kind
        self.index = index
    }

    /// The page of a path.
    package init?(path: String) {
        let parts = path.split(separator: "/")
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), let index = Int(parts[1]) else {
            return nil
        }
        self.init(kind: kind, index: index)
    }

    package var path: String { "/\(kind.rawValue)/\(index)" }

    /// The size of the picture that those credentials get.
    package func size(_ credentials: String?) -> PixelSize {
        let position = Self.credentials.firstIndex(of: credentials) ?? 0
        return PixelSize(width: Self.width, height: 8 * (1 + position + Self.credentials.count * index))
    }

    /// The bytes of that picture: as many as make several chunks on the wire.
    package func body(_ credentials: String?) -> Data {
        let size = size(credentials)
        let text = "\(index) \(credentials ?? "none") " + String(repeating: "x", count: 20_000)
        return FakeImageDecoder.data(width: size.width, height: size.height, suffix: text)
    }

    /// The entity tag of those bytes.
    package func entityTag(_ credentials: String?) -> String { "\"\(size(credentials).height)\"" }
}
