import CalotypeCodecs
import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

/// What is told of a picture: its header, and what a small copy of it looks like.
struct PictureDescription: Hashable, Sendable {
    let info: ImageInfo
    let byteCount: Int
    let blurHash: String
    let thumbHash: String
    /// In hexadecimal, the most frequent first.
    let palette: [String]

    /// Describes a picture; computes for some milliseconds.
    ///
    /// - Parameters:
    ///   - info: What its header says.
    ///   - byteCount: Its bytes.
    ///   - small: The picture, of at most 100 pixels a side.
    /// - Throws: `TransformError` where there is no room for it.
    init(_ info: ImageInfo, byteCount: Int, small: Image) throws {
        (self.info, self.byteCount) = (info, byteCount)
        blurHash = try BlurHash(encoding: small).text
        thumbHash = try ThumbHash(encoding: small).text
        palette = try small.palette().map { entry in
            [entry.color.red, entry.color.green, entry.color.blue].reduce(into: "") { text, byte in
                text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }

    /// The description as JSON; the names are those of the command's `info`.
    var json: Data {
        let size = info.displaySize
        var parts = [
            "\"format\":\"\(info.format.rawValue)\"", "\"width\":\(info.size.width)",
            "\"height\":\(info.size.height)", "\"orientation\":\(info.orientation.rawValue)",
            "\"displayWidth\":\(size.width)", "\"displayHeight\":\(size.height)",
            "\"frames\":\(info.frameCount)", "\"hasAlpha\":\(info.hasAlpha)",
            "\"hasColorProfile\":\(info.hasColorProfile)", "\"bytes\":\(byteCount)",
        ]
        // Neither alphabet has what would have to be escaped but the backslash, which Base 83 leaves out.
        parts.append("\"blurHash\":\"\(blurHash)\"")
        parts.append("\"thumbHash\":\"\(thumbHash)\"")
        parts.append("\"palette\":[\(palette.map { "\"\($0)\"" }.joined(separator: ","))]")
        return Data("{\(parts.joined(separator: ","))}\n".utf8)
    }

    /// The JSON as memory keeps it, with what it is of.
    final class Box: Sendable {
        let json: Data
        /// Of the original.
        let entityTag: String

        init(_ json: Data, of entityTag: String) {
            (self.json, self.entityTag) = (json, entityTag)
        }
    }
}
