import CalotypeCodecs
import CalotypeCore
import CalotypeTransforms
import FoundationEssentials

/// A description of an image: its header, and properties of a small copy.
struct ImageDescription: Hashable, Sendable {
    let info: ImageInfo
    let details: ImageDetails
    let frameDurations: [Duration]
    let byteCount: Int
    let blurHash: String
    let thumbHash: String
    /// Hexadecimal colours, the most frequent first.
    let palette: [String]

    /// Computes a description, which takes some milliseconds.
    ///
    /// - Parameters:
    ///   - info: The header of the image.
    ///   - details: Its other properties.
    ///   - byteCount: The number of encoded bytes.
    ///   - small: The image, with sides of at most 100 pixels.
    /// - Throws: `TransformError` if memory is insufficient.
    init(_ info: ImageInfo, _ details: ImageDetails, byteCount: Int, small: Image) throws {
        (self.info, self.details, self.byteCount) = (info, details, byteCount)
        frameDurations = small.animation?.frameDurations ?? []
        blurHash = try BlurHash(encoding: small).text
        thumbHash = try ThumbHash(encoding: small).text
        palette = try small.palette().map { entry in
            [entry.color.red, entry.color.green, entry.color.blue].reduce(into: "") { text, byte in
                text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }

    /// The description as JSON; the names are those of the command `info`.
    var json: Data {
        let size = info.displaySize
        var parts = [
            "\"format\":\"\(info.format.rawValue)\"", "\"width\":\(info.size.width)",
            "\"height\":\(info.size.height)", "\"orientation\":\(info.orientation.rawValue)",
            "\"displayWidth\":\(size.width)", "\"displayHeight\":\(size.height)",
            "\"frames\":\(info.frameCount)", "\"hasAlpha\":\(info.hasAlpha)",
            "\"hasColorProfile\":\(info.hasColorProfile)", "\"bytes\":\(byteCount)",
        ]
        parts += details.members
        parts.append("\"bitDepth\":\(info.bitDepth)")
        if let loopCount = info.loopCount { parts.append("\"loopCount\":\(loopCount.number)") }
        if !frameDurations.isEmpty {
            let durations = frameDurations.map { "\(Int($0 / .milliseconds(1)))" }.joined(separator: ",")
            parts.append("\"frameDurationsMs\":[\(durations)]")
        }
        // Only a backslash would need escaping, and Base 83 does not use it.
        parts.append("\"blurHash\":\"\(blurHash)\"")
        parts.append("\"thumbHash\":\"\(thumbHash)\"")
        parts.append("\"palette\":[\(palette.map { "\"\($0)\"" }.joined(separator: ","))]")
        return Data("{\(parts.joined(separator: ","))}\n".utf8)
    }

    /// The JSON as cached in memory, with the entity tag of its original.
    final class Box: Sendable {
        let json: Data
        let entityTag: String

        init(_ json: Data, of entityTag: String) {
            (self.json, self.entityTag) = (json, entityTag)
        }
    }
}
