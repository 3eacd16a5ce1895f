package import Calotype
import CalotypeTesting
package import FoundationEssentials

/// A URL of the stress tests: the behaviour of its origin, and its image.
///
/// Each image has a unique height per page and credential, so that its size identifies it at any width. Bytes
/// are in the format of ``FakeImageDecoder``.
package struct StressPage: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case whole, chunked, redirect
        case missing, broken, reset, garbage, empty
        case stall

        /// The error code of an uncancelled load; `nil` for an image.
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

    package init?(path: String) {
        let parts = path.split(separator: "/")
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), let index = Int(parts[1]) else {
            return nil
        }
        self.init(kind: kind, index: index)
    }

    package var path: String { "/\(kind.rawValue)/\(index)" }

    package func size(_ credentials: String?) -> PixelSize {
        let position = Self.credentials.firstIndex(of: credentials) ?? 0
        return PixelSize(width: Self.width, height: 8 * (1 + position + Self.credentials.count * index))
    }

    /// The bytes of the image, enough for several chunks on the wire.
    package func body(_ credentials: String?) -> Data {
        let size = size(credentials)
        let text = "\(index) \(credentials ?? "none") " + String(repeating: "x", count: 20_000)
        return FakeImageDecoder.data(width: size.width, height: size.height, suffix: text)
    }

    package func entityTag(_ credentials: String?) -> String { "\"\(size(credentials).height)\"" }
}
