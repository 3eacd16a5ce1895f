import Calotype
import CalotypeCore
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport

/// A service for watermarks: `photo.jpg` is a blue image of 120×90, `wm.png` a red one of 20×10.
struct WatermarkBench {
    let bench: ServiceBench
    let service: ImageService
    private let mark: SharedState<Data>

    static let blue: [UInt8] = [0, 0, 255]
    static let red: [UInt8] = [255, 0, 0]
    static let green: [UInt8] = [0, 255, 0]

    /// `http://src.test/wm.png` in base64.
    static let address = "aHR0cDovL3NyYy50ZXN0L3dtLnBuZw"

    init(
        work: Int = 4,
        headers: [String: String] = ["Cache-Control": "max-age=600"],
        _ configure: (inout ImageService.Configuration) -> Void = { _ in },
        answer: @escaping @Sendable (URL, Data) async throws -> Data = { _, data in data }
    ) throws {
        let photo = try Self.png(Self.blue, 120, 90)
        let mark = SharedState(try Self.png(Self.red, 20, 10))
        self.mark = mark
        bench = try ServiceBench { request, _ in
            // A fallback.
            if request.url.scheme == "data" { return try await DataURLLoader().response(for: request) }
            guard request.url.path() != "/photo.jpg" else {
                return .network(request.url, photo, ["Cache-Control": "max-age=100000"])
            }
            return .network(request.url, try await answer(request.url, mark.value), headers)
        }
        service = bench.service(work: work, waiting: 100, configure)
    }

    /// Replaces the content of `wm.png`.
    func change(to data: Data) { mark.withLock { $0 = data } }

    /// The number of requests for anything but the photo.
    var markCount: Int { bench.loader.requests.count { $0.url.path() != "/photo.jpg" } }

    func response(_ options: String, format: String = "png") async throws -> ServiceResponse {
        try await service.response(to: ServiceRequest(target: "/unsafe/\(options)/\(examplePath)@\(format)"))
    }

    /// Returns the response with thumbor's filters.
    func thumbor(_ filters: String) async throws -> ServiceResponse {
        let path = "/thumbor/unsafe/filters:format(png):\(filters)/src.test/photo.jpg"
        return try await service.response(to: ServiceRequest(target: path))
    }

    static func png(_ color: [UInt8], _ width: Int, _ height: Int) throws -> Data {
        try PNGEncoder().encode(image(color, width, height))
    }

    static func image(_ color: [UInt8], _ width: Int, _ height: Int) -> Image {
        let bytes = (0..<width * height).flatMap { _ in color }
        return Image(
            size: PixelSize(width: width, height: height),
            pixelFormat: .rgb8,
            pixels: PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        )
    }
}

/// The pixels of a response.
struct ResponsePixels {
    let size: PixelSize
    private let bytes: [UInt8]

    init(_ response: ServiceResponse) throws {
        self.init(try CodecRegistry.publicWeb.decode(response.body))
    }

    init(_ image: Image) {
        (size, bytes) = (image.size, [UInt8](image.rgba8()))
    }

    /// The red, green and blue of a pixel.
    subscript(x: Int, y: Int) -> [UInt8] {
        let start = 4 * (y * size.width + x)
        return [UInt8](bytes[start..<start + 3])
    }

    /// The smallest box around the pixels of a colour; `nil` if there are none.
    func box(of color: [UInt8]) -> [Int]? {
        let found = (0..<size.pixelCount).filter { self[$0 % size.width, $0 / size.width] == color }
        let (columns, rows) = (found.map { $0 % size.width }, found.map { $0 / size.width })
        guard let left = columns.min(), let right = columns.max(), let top = rows.min(),
            let bottom = rows.max()
        else { return nil }
        return [left, top, right - left + 1, bottom - top + 1]
    }
}
