import NIOCore

import struct Foundation.Data
import struct Foundation.URL

enum FileReader {
    static func bytes(of path: String) async throws -> ByteBuffer {
        ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
